// Package counter asks what a counter costs.
//
// It re-creates a benchmark.
//
// # Method
//
// Two counters are measured.
//
// # How this differs from the published study
//
// In everything.
//
// # The originals
//
// Two counters run on a JVM as well.
package counter
