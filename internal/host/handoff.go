package host

import (
	"slices"
	"time"
)

// Distance is the HandOff of CPUs that are as far apart as this machine puts
// them: the 90th percentile of readings over about a quarter of a minute, in
// which the machine should be idle. On a machine that leaves its CPUs where
// they are the readings agree, and a few seconds are enough. It is -1 where
// HandOff is.
func Distance() float64 {
	const few, many, agree = 20, 75, 1.3
	var ns []float64
	for len(ns) < many {
		h := HandOff()
		if h < 0 {
			return unseen
		}
		ns = append(ns, h)
		if len(ns) == few && slices.Max(ns) < agree*slices.Min(ns) {
			break
		}
		// An idle moment is when a hypervisor finds a CPU another place.
		time.Sleep(200 * time.Millisecond)
	}
	return quantile(ns, 0.9)
}

// AwaitApart waits until the CPUs are as far apart as distance says, by the
// threshold of the gate, and for at most limit. A fork that starts while they
// are not is likely to be gated.
func (t Thresholds) AwaitApart(distance float64, limit time.Duration) {
	for end := time.Now().Add(limit); distance > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if HandOff() >= t.HandOff*distance {
			return
		}
	}
}
