package stats

import "math"

// maxHeats is where HeatsNeeded gives up: no run has so many.
const maxHeats = 100_000

// HeatsNeeded is about how many heats it would take until the interval of a ratio
// does not hold a threshold any more, if the estimate stayed where it is: the
// interval shrinks with the square root of the number of heats, but for the part
// of its reach to each side, in logarithms, that is fixed. It is a guide for the
// next run, not a promise, since the estimate will move.
//
// It is 0 where no run would decide, since the estimate is too near to the
// threshold, and where there is no interval. For a threshold outside the interval
// it is at most measured.N.
func HeatsNeeded(measured Interval, fixed, threshold float64) int {
	if measured.Level == 0 {
		return 0
	}
	reach := math.Log(measured.Estimate / measured.Low)
	if threshold > measured.Estimate {
		reach = math.Log(measured.High / measured.Estimate)
	}
	distance := math.Abs(math.Log(measured.Estimate/threshold)) - fixed
	if distance <= 0 {
		return 0
	}
	shrink := max(0, reach-fixed) / distance
	heats := math.Ceil(float64(measured.N) * shrink * shrink)
	if math.IsNaN(heats) || heats > maxHeats {
		return 0
	}
	return max(1, int(heats))
}
