// Package multihistogram asks what many histograms cost.
//
// # Method
//
// Histograms are updated.
//
// # How this differs from the published study
//
// In the values.
package multihistogram
