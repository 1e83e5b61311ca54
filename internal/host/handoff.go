package host

import (
	"time"

	"hotpath/internal/bench"
)

// Distance is how far apart the CPUs of this machine are most of the time: the
// median HandOff of readings over the time d, in which the machine should be
// idle. It is -1 where HandOff is.
func Distance(d time.Duration) float64 {
	var ns []float64
	for end := time.Now().Add(d); ; {
		h := HandOff()
		if h < 0 {
			return unseen
		}
		ns = append(ns, h)
		if time.Now().After(end) {
			return quantile(ns, 0.5)
		}
		// An idle moment is when a hypervisor finds a CPU another place.
		time.Sleep(100 * time.Millisecond)
	}
}

// AwaitPlace waits until the CPUs are as far apart as distance says, by the
// threshold of the gate, and for at most limit. A fork that starts while they
// are not is likely to be gated.
func AwaitPlace(t bench.Thresholds, distance float64, limit time.Duration) {
	for end := time.Now().Add(limit); distance > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if t.InPlace(HandOff(), distance) {
			return
		}
	}
}
