package run

import (
	"context"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
)

// Heats that the machine spoils are broken off and held again after all others, in a
// bounded time, and then to their end; by a run that goes on too.
func TestSpoiltHeatsAreHeldAgain(t *testing.T) {
	p := prepare(t, "testdata/fine", 2)
	p.Plan.Gates.Window, p.Plan.Gates.Foreign = 0.05, -1 // which no machine keeps
	ps := []Program{{Name: "steady", Dir: p.Dir, binaries: p.Binaries}}
	var out strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(1500*time.Millisecond, cancel)
	if err := conduct(ctx, &out, openDir(t, p.Results), ps, p.Plan, p.Scratch); err == nil {
		t.Fatalf("not interrupted\n%s", &out)
	}
	if err := conduct(t.Context(), &out, openDir(t, p.Results), ps, p.Plan, p.Scratch); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	e := load(t, p.Results).Experiments[0]
	type part struct {
		block  bench.Block
		number int
	}
	planned, again, whole := 0, 0, map[part]bool{}
	for _, h := range e.Heats {
		of := part{h.Block, h.Number}
		switch {
		case whole[of]:
			t.Errorf("heat %d: number %d of %s again, though it had ended", h.ID, h.Number, h.Block)
		case h.Incomplete == "":
			whole[of] = true
		}
		if h.Try == 0 {
			planned++
		} else if again++; planned < 2*len(e.Blocks()) {
			t.Errorf("heat %d is held again ahead of others", h.ID)
		}
		if laps := e.Block(h.Block)[0].Laps; h.Incomplete == "" && len(h.Laps) < laps || h.Incomplete != "" && len(h.Laps) > laps {
			t.Errorf("heat %d has %d laps of %d, %q", h.ID, len(h.Laps), laps, h.Incomplete)
		}
	}
	if again == 0 || len(whole) != 2*len(e.Blocks()) {
		t.Errorf("%d heats again, %d to their end; want all %d\n%s", again, len(whole), 2*len(e.Blocks()), &out)
	}
}
