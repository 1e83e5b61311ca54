package stats

import "math"

// maxPairs is where PairsNeeded gives up: no run has so many rounds.
const maxPairs = 100_000

// PairsNeeded is about how many pairs it would take until the interval of a
// ratio no longer holds a threshold, if the estimate stayed where it is: the
// interval shrinks with the square root of the number of pairs. It is a guide
// for the next run, not a promise, since the estimate will move.
//
// It is 0 where the estimate is so near to the threshold that no run would
// decide, and where there is no interval. For a threshold outside the interval
// it is at most measured.N.
func PairsNeeded(measured Interval, threshold float64) int {
	if measured.Level == 0 {
		return 0
	}
	reach := math.Log(measured.Estimate / measured.Low)
	if threshold > measured.Estimate {
		reach = math.Log(measured.High / measured.Estimate)
	}
	distance := math.Abs(math.Log(measured.Estimate / threshold))
	pairs := math.Ceil(float64(measured.N) * (reach / distance) * (reach / distance))
	if math.IsNaN(pairs) || pairs > maxPairs {
		return 0
	}
	return max(1, int(pairs))
}
