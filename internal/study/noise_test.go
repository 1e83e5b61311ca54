package study

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
)

const turnsPath = "testdata/turns.txt"

var record = flag.String("record", "", "record "+turnsPath+" anew from the run in this folder")

// noise is what the machine did to a contestant and its control in the kept laps
// of a heat: the logarithms of what an operation took them.
type noise [][2]float64

// TestRecordNoise records what a real run measured of contestants that differ in
// nothing, for TestNull to try the rules on.
func TestRecordNoise(t *testing.T) {
	if *record == "" {
		t.Skip("no -record")
	}
	root, err := os.OpenRoot(filepath.Dir(*record))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	run, err := results.Load(root, filepath.Base(*record))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# What a contestant and its control took in each kept lap of each heat: a line for each heat, with its\n" +
		"# block and for each lap the nanoseconds of the two. Made by go test -run RecordNoise -record ../../results/NAME.\n")
	for _, x := range run.Experiments {
		for _, block := range New(&run.Manifest, x, new(claims.File)).Blocks {
			for _, row := range block.Rows {
				if row.Role != bench.Control || block.Rows[0].Tier != bench.Judged && row.Mode() != bench.Throughput {
					continue
				}
				for _, h := range block.heats {
					if laps := lapsOf(h, row.Twin, row.Impl()); len(laps) >= row.Turn.LeastTurns() {
						fmt.Fprintln(&b, strings.ReplaceAll(block.String(), " ", "_"), strings.Join(laps, " "))
					}
				}
			}
		}
	}
	if err := os.WriteFile(turnsPath, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func lapsOf(h *results.Heat, twin, control string) []string {
	var laps []string
	f, g := h.Fork(twin), h.Fork(control)
	if f == nil || g == nil {
		return nil
	}
	for _, lap := range h.Laps {
		v, okV := lap.Turn(f.ID)
		w, okW := lap.Turn(g.ID)
		if !okV || !okW || !v.Kept() || !w.Kept() {
			continue
		}
		unit := bench.TimePerOp
		if v.Latency > 0 {
			unit = bench.MeanLatency
		}
		x, _ := v.PerOp(unit)
		y, _ := w.PerOp(unit)
		laps = append(laps, fmt.Sprintf("%.4g,%.4g", x, y))
	}
	return laps
}

// recorded is the noise of heats, by block in the order of the file.
func recorded(t *testing.T) (blocks []string, heats map[string][]noise) {
	t.Helper()
	f, err := os.Open(turnsPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	heats = map[string][]noise{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		var n noise
		for _, pair := range words[1:] {
			x, y, _ := strings.Cut(pair, ",")
			v, errV := strconv.ParseFloat(x, 64)
			w, errW := strconv.ParseFloat(y, 64)
			if errV != nil || errW != nil {
				t.Fatalf("%s: %q", turnsPath, pair)
			}
			n = append(n, [2]float64{math.Log(v), math.Log(w)})
		}
		if heats[words[0]] == nil {
			blocks = append(blocks, words[0])
		}
		heats[words[0]] = append(heats[words[0]], n)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return blocks, heats
}
