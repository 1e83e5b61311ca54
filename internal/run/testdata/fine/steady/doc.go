// Package steady asks whether the whole way from a benchmark to a report works.
//
// # Method
//
// Two loops of different lengths are measured for a few milliseconds each.
//
// # How this differs from the published study
//
// There is none.
package steady
