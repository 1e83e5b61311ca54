package study

import (
	"slices"

	"hotpath/internal/bench"
)

// Wait is what operations at a fixed rate take at a percentile, by contestant:
// from when they began, and from when they were to begin.
type Wait struct {
	Percentile        float64
	Service, Response map[string]*Figure // that count, in ns
}

// waitPercentiles are those at which service and response are set side by side.
var waitPercentiles = []float64{50, 99, 99.9, 99.99}

// Waits are those of an open loop, at the percentiles that are known of both
// times; none for another block.
func (b *Block) Waits() []Wait {
	if b.Mode() != bench.Open {
		return nil
	}
	times := func(unit bench.Unit) map[string]*Figure {
		by := map[string]*Figure{}
		for _, f := range b.Figures(unit) {
			if f.Counts() && f.Median.Estimate > 0 {
				by[f.Impl()] = f
			}
		}
		return by
	}
	var waits []Wait
	for _, p := range waitPercentiles {
		w := Wait{p, times(bench.Service(p)), times(bench.Latency(p))}
		if len(w.Service) > 0 && len(w.Response) > 0 {
			waits = append(waits, w)
		}
	}
	return waits
}

// Of returns a contestant's service and response times.
func (w Wait) Of(impl string) (service, response float64, ok bool) {
	s, r := w.Service[impl], w.Response[impl]
	if s == nil || r == nil {
		return 0, 0, false
	}
	return s.Median.Estimate, r.Median.Estimate, true
}

// LongestWait is the contestant whose response is the greatest multiple of its
// service at p99, or at the first percentile there is; nil where none has both.
func LongestWait(waits []Wait, rows []*Row) (Wait, *Row) {
	w := waits[0]
	for _, other := range waits {
		if other.Percentile == 99 {
			w = other
		}
	}
	var worst *Row
	times := func(r *Row) float64 { s, response, _ := w.Of(r.Impl()); return response / s }
	ranked := slices.ContainsFunc(rows, func(r *Row) bool { _, _, ok := w.Of(r.Impl()); return ok && r.Role.Ranked() })
	for _, r := range rows {
		if _, _, ok := w.Of(r.Impl()); !ok || ranked && !r.Role.Ranked() {
			continue
		}
		if worst == nil || times(r) > times(worst) {
			worst = r
		}
	}
	return w, worst
}
