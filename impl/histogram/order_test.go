package histogram_test

import (
	"testing"

	"hotpath/internal/contest"
)

// Who finds the successor of a full chunk in a row finds the chunk on the stack.
func TestExchangeOrder(t *testing.T) {
	contest.TestOrder(t, "stripe.go", "stripe.exchange", "rows.enter", "r.leave", "s.full.push", "at.Store", "r.leave")
	contest.TestOrder(t, "stripe.go", "stripe.drainAll", "rows.table.Load", "s.drainPinned", "s.drainFull")
}

// A chunk of a P is only appended to by who is pinned there.
func TestPinnedRecords(t *testing.T) {
	contest.TestOrder(t, "set.go", "Set.Record",
		"pin.Pin", "r.shut", "r.chunks[k].Load().append", "r.leave", "r.open", "pin.Unpin")
	contest.TestOrder(t, "set.go", "Set.RecordMany", "s.rows.enter", "r.chunks[k].Load().append", "r.leave")
	contest.TestOrder(t, "set.go", "Set.recordSlowly", "s.rows.enter", "r.chunks[k].Load", "c.append", "c.append2", "r.leave")
}
