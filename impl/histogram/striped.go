package histogram

import (
	"sync/atomic"
	"unsafe"
)

// striped is a sum over several cells, so that goroutines seldom add to the same.
type striped [4]struct {
	n atomic.Int64
	_ [lineSize - 8]byte
}

// add adds to a cell that it picks by the address of the caller's stack: it differs
// between any two goroutines that are alive and costs nothing to learn.
func (s *striped) add(delta int64) {
	var onStack byte
	hash := uint64(uintptr(unsafe.Pointer(&onStack))>>10) * 0x9e3779b97f4a7c15
	s[hash>>62].n.Add(delta)
}

func (s *striped) load() (sum int64) {
	for i := range s {
		sum += s[i].n.Load()
	}
	return sum
}
