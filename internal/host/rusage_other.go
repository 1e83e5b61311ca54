//go:build !unix

package host

// CPUTime is not visible here: both are -1.
func CPUTime() (user, system float64) { return unseen, unseen }
