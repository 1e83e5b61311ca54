package published

import (
	"fmt"
	"slices"
	"testing"
)

func TestMutableTimeSnapshot(t *testing.T) {
	h := NewMutableTime()
	for _, v := range []int64{5, 200_000, 400_000, 700_000, -1} {
		h.Update(v)
	}
	if h.Count() != 5 || h.Negative() != 1 {
		t.Errorf("%d updates, %d negative, want 5 and 1", h.Count(), h.Negative())
	}
	// Until the first snapshot a linear bin is 299720/255 wide, and one bin holds
	// 299720 to 2996891: 5 is counted below 1, and what is in that bin below
	// 300000.
	want := []Metric{
		{"Get_num_ops", 5},
		{"Get_min", 5},
		{"Get_max", 700_000},
		{"Get_mean", 325_001},
		{"Get_25th_percentile", 1175}, // rank 1 of 4: the upper edge of the bin 0-1175
		{"Get_median", 200_988},       // rank 2: that of 199813-200988
		{"Get_75th_percentile", 499_860},
		{"Get_90th_percentile", 619_944},
		{"Get_95th_percentile", 659_972},
		{"Get_98th_percentile", 683_988},
		{"Get_99th_percentile", 691_994},
		{"Get_99.9th_percentile", 699_199},
		{"Get_TimeRangeCount_0-1", 1},
		{"Get_TimeRangeCount_120000-300000", 3},
	}
	if got := h.Snapshot("get"); !slices.Equal(got, want) {
		t.Errorf("snapshot\n%v, want\n%v", got, want)
	}
	if got := h.Snapshot("get"); got != nil || h.Count() != 5 || h.Negative() != 0 {
		t.Errorf("snapshot %v without new values, count %d, want nil and 5", got, h.Count())
	}

	// The number of updates goes on, everything else starts over.
	h.Update(7)
	got := h.Snapshot("get")
	if got[0] != (Metric{"Get_num_ops", 6}) || got[1] != (Metric{"Get_min", 7}) || got[2] != (Metric{"Get_max", 7}) {
		t.Errorf("second snapshot begins with %v", got[:3])
	}
	// Now the linear bins are 1 wide and begin at 6, so that 3 shares its bin with
	// 0 and 1.
	for _, v := range []int64{3, 7, 10, 11} {
		h.Update(v)
	}
	want = []Metric{{"Get_TimeRangeCount_0-1", 1}, {"Get_TimeRangeCount_3-10", 2}, {"Get_TimeRangeCount_10-30", 1}}
	if got := h.Snapshot("get")[12:]; !slices.Equal(got, want) {
		t.Errorf("ranges %v, want %v", got, want)
	}
}

// Every range has its name, the one before the last too, which HBase leaves out.
func TestMutableTimeRangeNames(t *testing.T) {
	h := new(FastLong)
	h.bins.Store(newFastBins(700_000, 1, 700_001, 7_000_000)) // a bin for each value
	var want []Metric
	from := int64(0)
	for i, bound := range mutableTimeRanges {
		h.AddN(bound, int64(i+1))
		want = append(want, Metric{fmt.Sprintf("x_%d-%d", from, bound), int64(i + 1)})
		from = bound
	}
	h.AddN(600_001, 100)
	want = append(want, Metric{"x_600000-inf", 100})
	if got := appendRanges(nil, "x_", h); !slices.Equal(got, want) {
		t.Errorf("ranges\n%v, want\n%v", got, want)
	}
	last := want[len(want)-2]
	if last.Name != "x_300000-600000" {
		t.Errorf("last range %q", last.Name)
	}
}
