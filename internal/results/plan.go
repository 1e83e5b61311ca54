package results

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hotpath/internal/bench"
)

// maxHeats is how many heats a plan may have of a part. It bounds what a damaged
// file can ask for.
const maxHeats = 1e5

var (
	sumPattern      = regexp.MustCompile(`^[0-9a-f]{64}$`)
	revisionPattern = regexp.MustCompile(`^([0-9a-f]{7,64}|unknown)$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
)

// isText reports whether s is up to most bytes that a reader can see: no control
// characters, nothing invisible, no marks that turn the direction of a line.
func isText(s string, most int) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return len(s) <= most
}

// check refuses a manifest with strings that are unsafe to show, or with a plan
// that contradicts itself.
func (m *Manifest) check() error {
	for _, s := range []string{m.Machine.CPU, m.Budget} {
		if !isText(s, 200) {
			return fmt.Errorf("%.60q is no text", s)
		}
	}
	for _, facts := range [][]bench.Fact{m.Machine.Facts, m.Go, m.Modules, m.Lanes, m.Binaries} {
		for _, f := range facts {
			if !isText(f.Name, 200) || !isText(f.Value, 1000) {
				return fmt.Errorf("fact %.60q: %.60q is no text", f.Name, f.Value)
			}
		}
	}
	if !revisionPattern.MatchString(m.Revision) {
		return fmt.Errorf("revision %.60q", m.Revision)
	}
	if m.Machine.CPUs < 0 || m.Layouts < 0 || m.Memory < 0 {
		return fmt.Errorf("%d CPUs, %d layouts, %d bytes of memory", m.Machine.CPUs, m.Layouts, m.Memory)
	}
	return m.checkPlans()
}

func (m *Manifest) checkPlans() error {
	if len(m.Plan) == 0 {
		return fmt.Errorf("the plan names no experiment")
	}
	planned := map[string]bool{}
	for _, p := range m.Plan {
		if !bench.IsWord(p.Experiment) {
			return fmt.Errorf("experiment %.80q: letters, digits, - and _ only", p.Experiment)
		}
		if planned[p.Experiment] {
			return fmt.Errorf("experiment %s is planned twice", p.Experiment)
		}
		planned[p.Experiment] = true
		if err := p.check(); err != nil {
			return fmt.Errorf("%s: %w", p.Experiment, err)
		}
	}
	for experiment, sum := range m.Claims {
		if !planned[experiment] || !sumPattern.MatchString(sum) {
			return fmt.Errorf("claims of %.80q, checksum %.80q", experiment, sum)
		}
	}
	return nil
}

func (p Plan) check() error {
	for tier, n := range p.Heats {
		if !slices.Contains(bench.Tiers, tier) || n < 0 || n > maxHeats {
			return fmt.Errorf("%d heats of tier %.20q: a tier has 0 to %d", n, tier, int(maxHeats))
		}
	}
	seen := map[bench.CellID]bool{}
	blocks := map[bench.Block]bench.Cell{}
	for _, c := range p.Cells {
		if err := c.Check(); err != nil {
			return err
		}
		if seen[c.ID()] {
			return fmt.Errorf("%s is planned twice", c.ID())
		}
		seen[c.ID()] = true
		first, ok := blocks[c.Block]
		if !ok {
			blocks[c.Block] = c
		} else if c.Turn != first.Turn || c.Laps != first.Laps || c.Tier != first.Tier {
			return fmt.Errorf("%s has other turns, laps or tier than %s of its block", c.ID(), first.Impl())
		}
		if err := checkWords(c); err != nil {
			return fmt.Errorf("%s: %w", c.ID(), err)
		}
	}
	return nil
}

// checkWords refuses text of a cell that is unsafe to show.
func checkWords(c bench.Cell) error {
	switch {
	case !bench.IsWord(c.Impl()):
		return fmt.Errorf("contestant %.80q: letters, digits, - and _ only", c.Impl())
	case c.Twin != "" && !bench.IsWord(c.Twin):
		return fmt.Errorf("twin %.80q: letters, digits, - and _ only", c.Twin)
	case c.Recreation != "" && !bench.IsWord(c.Recreation):
		return fmt.Errorf("recreation %.80q: letters, digits, - and _ only", c.Recreation)
	case !isText(c.About, 1000):
		return fmt.Errorf("%.60q is no text", c.About)
	case !isText(strings.Join(c.Command, " "), 2000):
		return fmt.Errorf("command %.60q is no text", c.Command)
	}
	for name, value := range c.Env {
		if !variablePattern.MatchString(name) || !isText(value, 1000) {
			return fmt.Errorf("environment %.60q=%.60q", name, value)
		}
	}
	return nil
}
