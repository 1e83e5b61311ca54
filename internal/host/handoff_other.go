//go:build !linux

package host

// HandOff is -1: threads cannot be kept on a CPU here.
func HandOff() float64 { return unseen }
