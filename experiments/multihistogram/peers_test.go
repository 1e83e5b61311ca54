package multihistogram_test

import (
	"math"
	"testing"

	"hotpath/internal/contest"
)

// peers are histograms of other libraries, each made and called as its
// documentation shows, with the settings that the package comment gives. Those
// which are not safe for concurrent use have a mutex each.
//
// The error of a histogram with buckets is their width: a quantile may lie
// anywhere in its bucket. Digests and samples state an error of the rank alone,
// or none.
var peers = []contest.Histogram{
	{Name: "hdrgo3", New: newHDRGo(3), Error: 1e-3},
	{Name: "hdrgo2", New: newHDRGo(2), Error: 1e-2},
	{Name: "prometheus", New: newPrometheus, Error: classicFactor - 1},
	{Name: "promnative", New: newPrometheusNative, Error: nativeFactor - 1},
	{Name: "victoria", New: newVictoria, Error: math.Pow(10, 1.0/18) - 1},
	{Name: "victoriaprom", New: newVictoriaPrometheus, Error: classicFactor - 1},
	{Name: "otel", New: newOtel, Error: classicFactor - 1},
	{Name: "otelexp", New: newOtelExponential, Error: nativeFactor - 1},
	{Name: "gmuniform", New: newGometricsUniform},
	{Name: "gmexpdecay", New: newGometricsExpDecay},
	{Name: "ddsketch01", New: newDDSketch(0.001), Error: 0.001},
	{Name: "ddsketch1", New: newDDSketch(0.01), Error: 0.01},
	{Name: "circllhist", New: newCircllhist, Error: 0.1},
	{Name: "tdigest", New: newTDigest},
	{Name: "perks", New: newPerks},
}

// parking are the contestants whose workers sleep while they wait: all that
// take a mutex on the way of an update, and the Set, in which it is rarely taken.
var parking = []string{
	"set", "set_batch",
	"hdrgo3", "hdrgo2", "victoria", "victoriaprom", "otelexp", "gmuniform", "gmexpdecay",
	"ddsketch01", "ddsketch1", "circllhist", "tdigest", "perks",
}

func TestPeers(t *testing.T) {
	for _, c := range peers {
		t.Run(c.Name, func(t *testing.T) { contest.TestHistogram(t, c) })
	}
}

func TestPeersInline(t *testing.T) {
	for file, called := range map[string][]string{
		"hdr_test.go":        {"newHDRGo"},
		"prometheus_test.go": {"newPrometheus", "newPrometheusNative"},
		"victoria_test.go":   {"newVictoria", "newVictoriaPrometheus"},
		"otel_test.go":       {"newOtelWith"},
		"gometrics_test.go":  {"newGometrics"},
		"sketches_test.go":   {"newDDSketch", "newTDigest", "newPerks"},
	} {
		contest.TestInlining(t, file, called...)
	}
}
