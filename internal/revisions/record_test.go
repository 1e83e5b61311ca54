package revisions

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/run"
)

var record = flag.Bool("record", false, "record "+turnsPath+" anew")

// TestRecordTurns records the noise that the rule is tried on, of two counters that
// contend and that do not, each with a layout of its own three times in a heat. Then it
// tells what is found in this noise, and how long a heat of one benchmark takes with
// the linking.
func TestRecordTurns(t *testing.T) {
	if !*record {
		t.Skip("no -record")
	}
	s := &sources{scratch: t.TempDir()}
	s.trees = [2]tree{{name: workTree, dir: "../.."}, {name: workTree, dir: "../.."}}
	c := run.NewConductor(s.scratch)
	defer c.Close()
	h, l, err := newHeats(t.Context(), s, c, Options{Experiment: "counter", Only: "impl=(atomic|perp)/mode=thrpt/threads=(1@one|32@numcpu)"})
	if err != nil {
		t.Fatal(err)
	}
	heats := map[benchmark][]string{}
	began := time.Now()
	var linking time.Duration
	const rounds = 36
	for range rounds {
		linked := time.Now()
		if err := h.round(t.Context(), l.common); err != nil {
			t.Fatal(err)
		}
		linking += time.Since(linked)
		for _, b := range l.common {
			cells := h.cells[b]
			var three []run.Contestant
			for i, bin := range h.binaries[b.program] {
				three = append(three, run.Contestant{Cell: cells[i%2], Dir: h.programs[i%2][b.program].Dir, Binary: bin})
			}
			rec, err := c.Hold(t.Context(), 1, three)
			if err != nil {
				t.Fatal(err)
			}
			var laps []string
			for _, lap := range rec.Laps {
				var took []string
				for id := range processes {
					turn, _ := lap.Turn(id + 1)
					v, _ := turn.PerOp(bench.TimePerOp)
					took = append(took, fmt.Sprintf("%.4g", v))
				}
				laps = append(laps, strings.Join(took, ","))
			}
			heats[b] = append(heats[b], strings.Join(laps, " "))
		}
	}
	text := "# What three processes of the same contestant took in each lap of each heat: a line for each heat,\n" +
		"# in it for each lap the ns/op of the three. Each process had a link layout of its own. The laps are\n" +
		"# all, whether or not they met the gates. Made by go test -run RecordTurns -record.\n"
	for _, b := range l.common {
		text += "Benchmark" + b.String() + "\n" + strings.Join(heats[b], "\n") + "\n"
	}
	if err := os.WriteFile(turnsPath, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	measuring := time.Since(began) - linking
	t.Logf("a heat of one benchmark takes %.1f s", (linking.Seconds()+measuring.Seconds()/float64(len(l.common)))/rounds)
	for name, n := range recorded(t) {
		for _, factor := range []float64{1.01, 1.03, 1.05, 1.10, 1.20} {
			for _, heats := range []int{12, 24, 40} {
				t.Logf("%s: %g in %d heats: slower in %.1f %% of trials", name, factor, heats, 100*n.rate(trials(t), 1, heats, factor, Slower))
			}
		}
	}
}
