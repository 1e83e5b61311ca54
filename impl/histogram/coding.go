package histogram

import "math/bits"

// coding packs an update into one word of a log: the histogram in the low bits,
// the value above them. If the value is negative or does not fit, the word has all
// ones in its place and the value follows in a word of its own.
type coding struct {
	bits uint8
	mask uint64 // of the histogram
	wide uint64 // values from here on need the second word
}

func newCoding(histograms int) coding {
	b := bits.Len(uint(histograms - 1))
	return coding{uint8(b), 1<<b - 1, min(1<<63, uint64(1)<<(64-b)-1)}
}

// narrow says that v, which may be negative, fits into one word.
func (c *coding) narrow(v int64) bool { return uint64(v) < c.wide }

func (c *coding) pack(i int, v int64) uint64 { return uint64(v)<<(c.bits&63) | uint64(i) }

// packWide returns the first of two words.
func (c *coding) packWide(i int) uint64 { return ^c.mask | uint64(i) }

// unpack returns what word holds; if it is wide, the value is in the next word.
func (c *coding) unpack(word uint64) (i int, v int64, wide bool) {
	return int(word & c.mask), int64(word >> (c.bits & 63)), word >= ^c.mask
}
