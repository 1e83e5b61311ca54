package counter_test

import (
	"testing"

	"hotpath/internal/contest"
)

// TestConformance holds every counter to what the package comment promises.
// HOTPATH_SOAK is the number of operations of a longer one.
func TestConformance(t *testing.T) {
	for _, c := range contest.Counters {
		t.Run(c.Name, func(t *testing.T) { contest.TestCounter(t, c) })
	}
}
