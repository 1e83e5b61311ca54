package histogram

import "unsafe"

// together is how many histograms RecordMany looks ahead: about as many lines as a
// CPU waits for at once.
const together = 16

// RecordMany adds values[j] to histograms[j], for each j: what one operation
// updates. It does what as many calls of Record do, and costs about half of them
// where the histograms do not fit in a CPU's caches: an atomic add waits alone for
// its cell, so the cells are asked for in advance, all at the same time. It panics
// if the lengths differ.
//
// To ask takes an instruction that Go has no function for; with the build tag
// portable, and on CPUs other than amd64, RecordMany is a loop around Record.
func RecordMany(histograms []*Atomic, values []int64) {
	if len(histograms) != len(values) {
		panic("histogram: histograms and values of different lengths")
	}
	part := part()
	for len(histograms) > 0 {
		n := min(len(histograms), together)
		if fetches {
			for j, a := range histograms[:n] {
				a.fetch(values[j], part)
			}
		}
		for j, a := range histograms[:n] {
			a.record(values[j], part)
		}
		histograms, values = histograms[n:], values[n:]
	}
}

// fetch asks for what a record of v is going to write.
func (a *Atomic) fetch(v int64, part int) {
	if v < 0 {
		return
	}
	if cell := a.geometry.Cell(v); cell < len(a.cells) {
		fetchToWrite(unsafe.Pointer(&a.cells[cell]))
		fetchToWrite(unsafe.Pointer(&a.sum[part]))
	}
}
