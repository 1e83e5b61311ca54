// Package advice says which contestant to use for a need. The need, who may
// serve it, and what it is compared with stand in an experiment's advice.toml,
// written down ahead of any run; who is named, by how much, and whether anybody is,
// follows from the run.
//
// # The rule
//
// Those who may serve a need are the candidates of its rule, what is usual
// otherwise, and every other library of the block; a rule may set limits, such as
// an error, that each of them must keep, and blocks in which it must not be far from
// the best, by ratios with an interval. The one that takes the least is named, but
// what is usual in its place, or else the first candidate, where the whole interval of
// their ratio lies within [Limit] of 1: the plainest that serves as well. It is then compared with what is usual and with
// the best of the other libraries, and nobody is recommended without an interval.
// What each of them takes of further units that the rule names is told, and decides nothing.
package advice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/study"
)

// File is an experiment's advice.toml.
type File struct {
	Headline Headline `toml:"headline"`
	Rules    []Rule   `toml:"rule"`
}

// Headline is what a short report shows of an experiment.
type Headline struct {
	Block bench.Block  `toml:"block"`
	Unit  bench.Unit   `toml:"unit"`  // that its contestants are sorted by
	Also  []bench.Unit `toml:"also"`  // further ones, beside it
	Chart string       `toml:"chart"` // kind of chart
	Usual string       `toml:"usual"` // contestant that all are compared with
}

// Rule is a need, with what decides who serves it.
type Rule struct {
	Need    string       `toml:"need"`     // in the report's words
	Block   bench.Block  `toml:"block"`    // that decides
	Unit    bench.Unit   `toml:"unit"`     // of which the least is the best
	Use     []string     `toml:"use"`      // candidates, the plainest first
	Usual   string       `toml:"usual"`    // contestant that is used otherwise
	Also    []bench.Unit `toml:"also"`     // further ones, told of whoever is named and compared
	Limits  []Bound      `toml:"limits"`   // that whoever serves must keep
	WhenNot string       `toml:"when-not"` // a sentence, in the report's words

	// LimitsIn is the block that tells of the limits, where that is not Block: the
	// error of a histogram is the same whoever updates it.
	LimitsIn bench.Block `toml:"limits-in"`

	// Near says where else whoever serves must not be far from the best: a counter for
	// a load that nobody knows is good under each.
	Near []Near `toml:"near"`
}

// Near is a block in which a contestant takes at most so many times what each of
// some others takes.
type Near struct {
	Block bench.Block `toml:"block"`
	Of    []string    `toml:"of"`
	Most  float64     `toml:"most"` // from 1 on
}

// Bound is the most that a contestant may have of a unit.
type Bound struct {
	Unit bench.Unit `toml:"unit"`
	Most float64    `toml:"most"`
}

// Load reads the advice of an experiment below a folder and checks it against
// what a run planned; an experiment without the file has a File without rules.
func Load(experiments string, x *study.Experiment) (*File, error) {
	name := filepath.Join(experiments, x.Name, "advice.toml")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(File), nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(name, data, x)
}

// Parse checks the contents of an advice file; name stands in its errors.
func Parse(name string, data []byte, x *study.Experiment) (*File, error) {
	f := new(File)
	if err := claims.Decode(name, data, f); err != nil {
		return nil, err
	}
	if err := f.Headline.check(x); err != nil {
		return nil, fmt.Errorf("%s: headline: %w", name, err)
	}
	for i, r := range f.Rules {
		if err := r.check(x); err != nil {
			return nil, fmt.Errorf("%s: rule %d (%.60q): %w", name, i+1, r.Need, err)
		}
	}
	return f, nil
}

func (h Headline) check(x *study.Experiment) error {
	if h.Chart == "" {
		return errors.New("chart: missing")
	}
	return check(x, h.Block, append([]bench.Unit{h.Unit}, h.Also...), []string{h.Usual})
}

func (r Rule) check(x *study.Experiment) error {
	units := []bench.Unit{r.Unit}
	for _, l := range r.Limits {
		if !(l.Most > 0) {
			return fmt.Errorf("limits: %s: most must be a number above 0", l.Unit)
		}
		units = append(units, l.Unit)
	}
	units = append(units, r.Also...)
	switch {
	case strings.TrimSpace(r.Need) == "":
		return errors.New("need: missing")
	case strings.TrimSpace(r.WhenNot) == "":
		return errors.New("when-not: missing: every choice has its limits")
	case len(r.Use) == 0:
		return errors.New("use: missing: there is nobody to choose from")
	case slices.Contains(r.Use, r.Usual):
		return fmt.Errorf("usual: %q is a candidate too", r.Usual)
	}
	if err := check(x, r.Block, units, append([]string{r.Usual}, r.Use...)); err != nil {
		return err
	}
	for _, n := range r.Near {
		if !(n.Most >= 1) {
			return fmt.Errorf("near: %s: most must be a number from 1 on", n.Block)
		}
		if err := check(x, n.Block, []bench.Unit{r.Unit}, n.Of); err != nil {
			return fmt.Errorf("near: %w", err)
		}
	}
	decides, tells := x.Block(r.Block), r.tells(x)
	if decides == nil || !decides.Has(r.Unit) {
		return nil
	}
	for _, l := range r.Limits {
		if tells == nil || !tells.Has(l.Unit) {
			return fmt.Errorf("limits: no contestant has any %s there, so nobody can keep it; limits-in names another block", l.Unit)
		}
	}
	return nil
}

// tells is the block that the limits are read in, nil where the run lacks it.
func (r Rule) tells(x *study.Experiment) *study.Block {
	if r.LimitsIn.Benchmark != "" {
		return x.Block(r.LimitsIn)
	}
	return x.Block(r.Block)
}

// check refuses contestants that take no part in a block, and units that are
// nothing to choose by. A run that did not plan the block, as a quick look,
// decides nothing on it, and that is no mistake.
func check(x *study.Experiment, block bench.Block, units []bench.Unit, impls []string) error {
	for _, u := range units {
		if u.Better != "lower" {
			return fmt.Errorf("unit: %q is missing, or is nothing of which the least is the best", u)
		}
	}
	if block.Benchmark == "" {
		return errors.New("block: missing")
	}
	b := x.Block(block)
	for i, impl := range impls {
		switch {
		case impl == "" || slices.Contains(impls[:i], impl):
			return fmt.Errorf("%q is missing, or stands there twice", impl)
		case b != nil && b.Row(impl) == nil:
			return fmt.Errorf("%q takes no part in %s", impl, block)
		}
	}
	return nil
}
