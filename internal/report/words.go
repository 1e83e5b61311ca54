package report

import (
	"fmt"
	"strconv"
	"strings"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// inWords is what a block measures in Markdown, for somebody who knows no benchmark of
// it: "16 connections, 10 cells of 10 kB".
func inWords(b bench.Block) string { return escape(words(b)) }

// words are those of inWords as plain text.
func words(b bench.Block) string {
	get := b.Params.Get
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for p := range b.Params.All() {
		n, _ := strconv.Atoi(p.Value)
		switch p.Key {
		case "mode", "size":
		case "lane":
			add("beside the originals on the %s", strings.ToUpper(p.Value))
		case "threads":
			add("%s", workers(n, b.Reading))
		case "histograms":
			add("%s", bench.Plural(n, "histogram"))
		case "procs":
			if n == 1 {
				add("server and client in one process")
			}
		case "conns":
			add("%s", bench.Plural(n, "connection"))
		case "depth":
			if n > 1 {
				add("%d calls under way on each", n)
			}
		case "cells":
			add("%s of %s", bench.Plural(n, "cell"), size(get("size")))
		case "gogc":
			if n != 100 {
				add("GOGC=%d", n)
			}
		case "rate":
			add("%d calls a second", n)
		default:
			add("%s %s", p.Key, p.Value)
		}
	}
	return strings.Join(all, ", ")
}

// workers says who works, and on what.
func workers(n int, r bench.Reading) string {
	switch {
	case n == 1:
		return "one goroutine"
	case r == bench.PerThread:
		return fmt.Sprintf("%d goroutines, each with an OS thread of its own", n)
	case r == bench.One:
		return fmt.Sprintf("%d goroutines on one CPU", n)
	}
	return fmt.Sprintf("%d goroutines", n)
}

// size is that of a cell, in powers of two where it is one.
func size(value string) string {
	n, _ := strconv.Atoi(value)
	if n >= 1024 && n%1024 == 0 {
		return strconv.Itoa(n/1024) + bench.NBSP + "kB"
	}
	return strconv.Itoa(n) + bench.NBSP + "B"
}

// timing says how a block's cells are timed.
func timing(m bench.Mode) string {
	switch m {
	case bench.Sample:
		return "every operation timed"
	case bench.Fixed:
		return "the time of a fixed amount of work"
	case bench.Open:
		return "at a fixed rate, from when an operation was to begin"
	}
	return "time over all operations, no clock inside the loop"
}

// cost prints the median of a figure in a unit that a person would choose. One
// over forks that do not count has a ~.
func cost(f *study.Figure, unit bench.Unit) string {
	switch {
	case f.Median.N == 0:
		return ""
	case !f.Counts():
		return "~" + bench.NBSP + unit.Quantity.Print(f.Median.Estimate)
	}
	return unit.Quantity.Print(f.Median.Estimate)
}

// compared prints what one contestant takes over what another takes; where no heat
// counts, what all laps tell that were kept, with a ~.
func compared(b *study.Block, unit bench.Unit, baseline, candidate string) string {
	if baseline == candidate {
		return "1"
	}
	if iv := b.Ratio(unit, baseline, candidate); iv.Estimate > 0 {
		return ratio(iv)
	}
	if iv := b.Noisy(unit, baseline, candidate); iv.Estimate > 0 {
		return "~" + bench.NBSP + ratio(iv)
	}
	return "n/a"
}

// about is what a contestant is, without the full stop.
func about(r *study.Row) string { return strings.TrimSuffix(escape(r.About), ".") }
