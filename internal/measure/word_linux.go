package measure

import (
	"math"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Operations of the futex call.
const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

// word is a number that threads wait for in the kernel, which wakes all of them
// at once: the runtime wakes one locked thread with the help of another.
type word struct{ n atomic.Uint32 }

// await returns when the number is not seen any more.
func (w *word) await(seen uint32) {
	for w.n.Load() == seen {
		syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&w.n)), futexWaitPrivate, uintptr(seen), 0, 0, 0)
	}
}

// wakeAll adds one and wakes all.
func (w *word) wakeAll() {
	w.n.Add(1)
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&w.n)), futexWakePrivate, math.MaxInt32, 0, 0, 0)
}

const prSetTimerSlack = 29

// pause sleeps in the kernel. A goroutine's sleep ends up to a millisecond late
// on an otherwise idle Linux machine, as the runtime's poller waits in whole
// milliseconds; the kernel's is late by its timer slack, 50 us unless a thread
// asks for less.
func pause(d time.Duration) {
	syscall.Syscall(syscall.SYS_PRCTL, prSetTimerSlack, 1, 0)
	left := syscall.NsecToTimespec(int64(d))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}
