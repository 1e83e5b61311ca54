package report

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// Block is benchstat's output with the command that printed it.
type Block struct {
	Command string
	Output  string
}

// columns bounds the contestants of a benchstat table: more do not fit a page.
const columns = 5

// benchstat compares the published contestants, in each mode that has a score.
// The command it shows reads the run at path.
func benchstat(resultsDir, path string, run *results.Run, e *results.Experiment) ([]Block, error) {
	var impls []string
	seen := map[string]bool{}
	units := map[bench.Mode]bench.Unit{} // by mode
	for _, c := range e.Plan.Cells {
		if c.Role == bench.Published && !seen[c.Impl()] && len(impls) < columns {
			seen[c.Impl()] = true
			impls = append(impls, c.Impl())
		}
		if c.Role == bench.Published {
			units[c.Mode()] = c.Mode().Score()
		}
	}
	var blocks []Block
	for _, mode := range bench.Modes {
		unit := units[mode]
		if unit.Name == "" || len(impls) < 2 || !hasClean(e, mode, unit) {
			continue
		}
		args := []string{
			"-filter", fmt.Sprintf("gate:clean /mode:%s /impl:(%s) .unit:%s", mode, strings.Join(impls, " OR "), unit),
			"-col", fmt.Sprintf("/impl@(%s)", strings.Join(impls, " ")),
			"-row", rowKeys(e, mode),
		}
		file := e.Name + ".txt"
		cmd := exec.Command("go", append(append([]string{"tool", "benchstat"}, args...), filepath.Join(resultsDir, run.Name, file))...)
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		// benchstat exits with 0 after an error: anything on standard error is one.
		if err := cmd.Run(); err != nil || errOut.Len() > 0 {
			return nil, fmt.Errorf("go tool benchstat: %v: %s: is golang.org/x/perf in the module cache? `go mod download` fetches it", err, strings.TrimSpace(errOut.String()))
		}
		blocks = append(blocks, Block{
			Command: "go tool benchstat " + quoted(args) + " " + path + "/" + file,
			Output:  strings.TrimRight(out.String(), "\n"),
		})
	}
	return blocks, nil
}

// rowKeys are the keys that tell the benchmarks of a mode apart, contestants
// aside, in the order of their names.
func rowKeys(e *results.Experiment, mode bench.Mode) string {
	keys := []string{".name"}
	for _, c := range e.Plan.Cells {
		if c.Mode() != mode {
			continue
		}
		for p := range c.Name.Params.All() {
			if key := "/" + p.Key; key != "/impl" && key != "/mode" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return strings.Join(keys, ",")
}

func hasClean(e *results.Experiment, mode bench.Mode, unit bench.Unit) bool {
	for _, c := range e.Plan.Cells {
		if c.Mode() == mode && len(e.Values(c, unit)) > 0 {
			return true
		}
	}
	return false
}

// quoted is a command line that a shell takes apart into args.
func quoted(args []string) string {
	qs := make([]string, len(args))
	for i, a := range args {
		if strings.ContainsAny(a, " ()@") {
			a = "'" + a + "'"
		}
		qs[i] = a
	}
	return strings.Join(qs, " ")
}
