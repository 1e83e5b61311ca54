//go:build unix

package host

import "syscall"

// CPUTime is the CPU time that this process has used in all its threads, ended
// ones included, in seconds. Where the system does not tell both are -1.
func CPUTime() (user, system float64) {
	catchUp()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return unseen, unseen
	}
	return float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9
}
