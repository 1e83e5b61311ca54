package histogram_test

import (
	"testing"

	"hotpath/internal/contest"
)

// TestConformance holds every histogram to what it states: no update is lost, and
// quantiles are as near as its error. HOTPATH_SOAK is the number of updates of a
// longer one.
func TestConformance(t *testing.T) {
	for _, c := range contest.Histograms {
		t.Run(c.Name, func(t *testing.T) { contest.TestHistogram(t, c) })
	}
}
