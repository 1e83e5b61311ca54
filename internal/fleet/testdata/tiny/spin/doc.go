// Package spin asks whether a fleet gets the runs that it planned.
//
// # Method
//
// Loops of different lengths are measured for a few milliseconds each.
//
// # How this differs from the published study
//
// There is none.
package spin
