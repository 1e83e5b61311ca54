//go:build ipcdebug && unix

package path

import (
	"fmt"
	"sync"
	"syscall"
)

// quarantined is how many released frames stay mapped without access. A late
// read of an older one still faults, unless its addresses have been mapped anew.
const quarantined = 1024

var quarantine struct {
	sync.Mutex
	ring [quarantined][]byte
	next int
}

// take maps memory that no frame had lately.
func take(n int) (f *Frame, made bool) {
	size := frameSize(n)
	buf, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("ipc: mapping a frame of %d bytes: %v", size, err))
	}
	return &Frame{Buf: buf}, true
}

// give takes all access from the frame's memory.
func give(f *Frame) {
	if err := syscall.Mprotect(f.Buf, syscall.PROT_NONE); err != nil {
		panic(fmt.Sprintf("ipc: protecting a frame: %v", err))
	}
	q := &quarantine
	q.Lock()
	defer q.Unlock()
	if old := q.ring[q.next]; old != nil {
		if err := syscall.Munmap(old); err != nil {
			panic(fmt.Sprintf("ipc: unmapping a frame: %v", err))
		}
	}
	q.ring[q.next] = f.Buf
	q.next = (q.next + 1) % quarantined
}
