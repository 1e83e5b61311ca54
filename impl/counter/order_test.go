package counter_test

import (
	"testing"

	"hotpath/internal/contest"
)

// A word of a P is only added to by who is pinned there.
func TestPinnedAdds(t *testing.T) {
	contest.TestOrder(t, "perp.go", "PerP.Add", "pin.Pin", "b.words[i].add", "pin.Unpin", "pin.Unpin")
	contest.TestOrder(t, "group.go", "Group.Add", "pin.Pin", "b.words[at].add", "pin.Unpin", "pin.Unpin")
	contest.TestOrder(t, "adaptive.go", "Adaptive.Add",
		"pin.Pin", "at.words[i].add", "pin.Unpin", "c.owned.add", "pin.Unpin", "pin.Unpin")
}
