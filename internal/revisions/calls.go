package revisions

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/results"
	"hotpath/internal/run"
)

// What a heat of calls is: so many laps, in each a call of every process for so long.
const (
	callLaps = 8
	callTime = "50ms"
)

// calls is the meter of any package's benchmarks. They know nothing of turns: each
// call is a fresh process that measures for a fraction of a second.
type calls struct {
	*sources
	conductor *run.Conductor
	programs  [2]run.Program
	binaries  [processes]string
}

// newCalls builds the package of both trees and pairs the benchmarks that match.
func newCalls(ctx context.Context, s *sources, c *run.Conductor, o Options) (*calls, lineup, error) {
	l := &calls{sources: s, conductor: c}
	var order [2][]benchmark
	for side := range order {
		l.programs[side] = run.Program{Name: "the package", Dir: s.trees[side].dir}
		bin, err := s.link(ctx, l.programs[side], side)
		if err != nil {
			return nil, lineup{}, err
		}
		s.built = append(s.built, bin)
		cmd := exec.CommandContext(ctx, bin, "-test.run=^$", "-test.bench="+o.Bench, "-test.benchtime=1x")
		cmd.Dir = s.trees[side].dir
		out, err := cmd.CombinedOutput()
		switch {
		case ctx.Err() != nil:
			return nil, lineup{}, ctx.Err()
		case err != nil:
			return nil, lineup{}, fmt.Errorf("%s: its benchmarks fail: %w: %s", s.label(side), err, firstLine(string(out)))
		}
		for _, p := range printed(string(out)) {
			order[side] = append(order[side], benchmark{name: p.name})
		}
	}
	return l, pairUp(order), nil
}

// printedResult is a result line of a test binary.
type printedResult struct {
	name    string // without "Benchmark", with -GOMAXPROCS
	metrics []results.Metric
}

// printed reads the result lines in what a test binary wrote.
func printed(out string) []printedResult {
	var all []printedResult
	for line := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(line, "Benchmark")
		name, metrics, err := results.ParseResult(strings.TrimSpace(rest))
		if ok && err == nil && len(metrics) > 0 {
			all = append(all, printedResult{name, metrics})
		}
	}
	return all
}

func (c *calls) per() (int, string) { return callLaps * processes, "call" }

func (c *calls) round(ctx context.Context, _ []benchmark) (err error) {
	c.drop()
	c.binaries, err = c.fresh(ctx, c.programs[ofA], c.programs[ofB])
	return err
}

// measure holds a heat of calls, which counts as a whole or not at all.
func (c *calls) measure(ctx context.Context, b benchmark) (sample, error) {
	var three []run.Call
	for i, bin := range c.binaries {
		three = append(three, run.Call{
			Dir:     c.trees[i%2].dir,
			Command: []string{bin, "-test.run=^$", "-test.bench=" + pattern(b.name), "-test.benchtime=" + callTime, "-test.benchmem"},
		})
	}
	laps, unmet, err := c.conductor.Calls(ctx, callLaps, three)
	switch {
	case ctx.Err() != nil:
		return sample{}, ctx.Err()
	case err != nil:
		return sample{failed: firstLine(err.Error())}, nil
	case unmet != 0:
		return sample{}, nil
	}
	return sampleOfCalls(b, laps)
}

// sampleOfCalls has the figure of a benchmark whose processes wrote these laps.
func sampleOfCalls(b benchmark, laps [][]string) (sample, error) {
	var s sample
	var ratios, controls []float64
	for _, lap := range laps {
		var time [processes]float64
		var all [processes]result
		for i, out := range lap {
			at := slices.IndexFunc(printed(out), func(p printedResult) bool { return p.name == b.name })
			if at < 0 {
				return sample{failed: "a call printed no result of it"}, nil
			}
			all[i] = printed(out)[at].metrics
			for _, m := range all[i] {
				if m.Unit == bench.TimePerOp.Name {
					time[i] = m.Value
				}
			}
			if time[i] <= 0 {
				return sample{failed: "it prints no " + bench.TimePerOp.Name}, nil
			}
		}
		ratios, controls = append(ratios, time[ofB]/time[ofA]), append(controls, time[ofAgain]/time[ofA])
		s.a, s.b = append(s.a, all[ofA]), append(s.b, all[ofB])
	}
	if f, ok := figureOf(bench.TimePerOp.Name, ratios, controls, 1); ok {
		s.figures = []figure{f}
	}
	return s, nil
}

// pattern makes the testing package run one benchmark alone.
func pattern(printed string) string {
	name := "Benchmark" + printed
	if runtime.GOMAXPROCS(0) > 1 {
		name = bench.Procless(name)
	}
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
