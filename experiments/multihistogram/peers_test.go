package multihistogram_test

import (
	"math"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// peers are histograms of other libraries, each made and called as its
// documentation shows, with the settings that the package comment gives. Those
// which are not safe for concurrent use have a mutex each. Beside a library that
// others can extend stands ours in its terms.
//
// The error of a histogram with buckets is their width: a quantile may lie
// anywhere in its bucket. Digests and samples state an error of the rank alone,
// or none. All that take a mutex on the way of an update park.
var peers = []contest.Histogram{
	{Row: contest.Row{Name: "hdrgo3", Role: bench.Peer, Rival: true, Parks: true, About: "hdrhistogram-go with three digits, behind a mutex."},
		New: newHDRGo(3), Error: 1e-3, Called: true},
	{Row: contest.Row{Name: "hdrgo2", Role: bench.Peer, Parks: true, About: "hdrhistogram-go with two digits, behind a mutex."},
		New: newHDRGo(2), Error: 1e-2, Called: true},
	{Row: contest.Row{Name: "prometheus", Role: bench.Peer, About: "The Prometheus client's Histogram with 20 explicit buckets."},
		New: newPrometheus, Error: classicFactor - 1, Called: true},
	{Row: contest.Row{Name: "promnative", Role: bench.Peer, About: "The Prometheus client's Histogram with native, exponential buckets."},
		New: newPrometheusNative, Error: nativeFactor - 1, Called: true},
	{Row: contest.Row{Name: "promset", Role: bench.Ours, Parks: true, Holds: "the Observer of its labels", About: "A vector of Sets for the Prometheus client, observed and exposed as promnative is."},
		New: newPrometheusSet, Error: nativeFactor - 1 + 1e-3, Called: true},
	{Row: contest.Row{Name: "victoria", Role: bench.Peer, Parks: true, About: "VictoriaMetrics/metrics' Histogram, 18 buckets for each power of ten."},
		New: newVictoria, Error: math.Pow(10, 1.0/18) - 1, Called: true},
	{Row: contest.Row{Name: "victoriaprom", Role: bench.Peer, Parks: true, About: "VictoriaMetrics/metrics' PrometheusHistogram with 20 explicit buckets."},
		New: newVictoriaPrometheus, Error: classicFactor - 1, Called: true},
	{Row: contest.Row{Name: "otel", Role: bench.Peer, About: "The OpenTelemetry SDK's histogram with 20 explicit buckets, without attributes."},
		New: newOtel(otelExplicit), Error: classicFactor - 1, Called: true},
	{Row: contest.Row{Name: "otelexp", Role: bench.Peer, Parks: true, About: "The OpenTelemetry SDK's exponential histogram of up to 160 buckets, without attributes."},
		New: newOtel(otelExponential), Error: nativeFactor - 1, Called: true},
	{Row: contest.Row{Name: "gmuniform", Role: bench.Peer, Parks: true, About: "rcrowley/go-metrics' Histogram over a uniform sample of 1,028 values."},
		New: newGometrics(uniform), Called: true},
	{Row: contest.Row{Name: "gmexpdecay", Role: bench.Peer, Parks: true, About: "rcrowley/go-metrics' Histogram over a sample of 1,028 values that forgets old ones."},
		New: newGometrics(expDecay), Called: true},
	{Row: contest.Row{Name: "ddsketch01", Role: bench.Peer, Parks: true, About: "DataDog's DDSketch of 0.1 % error, behind a mutex."},
		New: newDDSketch(0.001), Error: 0.001, Called: true},
	{Row: contest.Row{Name: "ddsketch1", Role: bench.Peer, Parks: true, About: "DataDog's DDSketch of 1 % error, behind a mutex."},
		New: newDDSketch(0.01), Error: 0.01, Called: true},
	{Row: contest.Row{Name: "circllhist", Role: bench.Peer, Parks: true, About: "Circonus's log-linear histogram, 90 buckets for each power of ten."},
		New: newCircllhist, Error: 0.1},
	{Row: contest.Row{Name: "tdigest", Role: bench.Peer, Parks: true, About: "A t-digest of compression 100 (caio/go-tdigest), behind a mutex."},
		New: newTDigest, Called: true, Slow: true},
	{Row: contest.Row{Name: "perks", Role: bench.Peer, Parks: true, About: "A stream with targeted quantiles (beorn7/perks), behind a mutex."},
		New: newPerks, Called: true, Slow: true},
}

func TestPeers(t *testing.T) {
	for _, c := range peers {
		t.Run(c.Name, func(t *testing.T) { contest.TestHistogram(t, c) })
	}
}

func TestPeersInline(t *testing.T) {
	for _, c := range peers {
		t.Run(c.Name, func(t *testing.T) { contest.TestInlining(t, c.New, c.Called) })
	}
}

func TestRows(t *testing.T) {
	var rows []contest.Row
	for _, c := range histograms() {
		rows = append(rows, c.Row)
	}
	if err := contest.CheckRows(rows); err != nil {
		t.Error(err)
	}
}
