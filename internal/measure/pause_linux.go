package measure

import (
	"syscall"
	"time"
)

// pause sleeps in the kernel. A goroutine's sleep ends up to a millisecond late
// on an otherwise idle Linux machine, as the runtime's poller waits in whole
// milliseconds; the kernel's is late by its timer slack of some 50 us.
func pause(d time.Duration) {
	left := syscall.NsecToTimespec(int64(d))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}
