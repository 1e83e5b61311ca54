package report

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// console is benchstat's output with the command that printed it.
type console struct {
	Command string
	Output  string
}

// abreast bounds the contestants of a benchstat table: more do not fit a page.
const abreast = 5

// benchstat compares the published contestants, in each mode that has a score.
// The command it shows reads the run at path.
func benchstat(o Options, path string, run *study.Run, x *study.Experiment) ([]console, error) {
	var impls []string
	modes := map[bench.Mode]bool{} // in which a published contestant has a score
	lanes := ""
	for _, b := range x.Blocks {
		if b.Lane() != "" {
			lanes = " -/lane:" + b.Lane()
			continue
		}
		for _, r := range b.Rows {
			if r.Role != bench.Published {
				continue
			}
			modes[b.Mode()] = modes[b.Mode()] || b.Has(b.Mode().Score())
			if !slices.Contains(impls, r.Impl()) && len(impls) < abreast {
				impls = append(impls, r.Impl())
			}
		}
	}
	if len(impls) < 2 {
		return nil, nil
	}
	var blocks []console
	for _, mode := range bench.Modes {
		if !modes[mode] {
			continue
		}
		args := []string{
			"-filter", fmt.Sprintf("gate:clean /mode:%s /impl:(%s) .unit:%s%s", mode, strings.Join(impls, " OR "), mode.Score(), lanes),
			"-col", fmt.Sprintf("/impl@(%s)", strings.Join(impls, " ")),
			"-row", rowKeys(x, mode),
		}
		file := x.Name + ".txt"
		cmd := exec.Command("go", append(append([]string{"tool", "benchstat"}, args...), filepath.Join(o.Results, run.Name, file))...)
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		// benchstat exits with 0 after an error: anything on standard error is one.
		if err := cmd.Run(); err != nil || errOut.Len() > 0 {
			return nil, fmt.Errorf("go tool benchstat: %v: %s: is golang.org/x/perf in the module cache? `go mod download` fetches it", err, strings.TrimSpace(errOut.String()))
		}
		blocks = append(blocks, console{
			Command: "go tool benchstat " + quoted(args) + " " + path + "/" + file,
			Output:  strings.TrimRight(out.String(), "\n"),
		})
	}
	return blocks, nil
}

// rowKeys are the keys that tell the benchmarks of a mode apart, contestants
// aside, in the order of their names.
func rowKeys(x *study.Experiment, mode bench.Mode) string {
	keys := []string{".name"}
	for _, b := range x.Blocks {
		if b.Mode() != mode || b.Lane() != "" {
			continue
		}
		for p := range b.Params.All() {
			if key := "/" + p.Key; p.Key != "mode" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return strings.Join(keys, ",")
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
