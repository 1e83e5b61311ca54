package counter_test

import (
	"context"
	"expvar"
	"strconv"
	"testing"

	victoria "github.com/VictoriaMetrics/metrics"
	"github.com/cockroachdb/crlib/crsync"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/puzpuzpuz/xsync/v4"
	gometrics "github.com/rcrowley/go-metrics"
	"go.opentelemetry.io/otel/metric"
	otel "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// peers are counters of other libraries, each made and called as its
// documentation shows. Where a library returns an interface, its users pay for
// the call through it, and so does the loop: such a row is Called.
var peers = []contest.Counter{
	{Row: contest.Row{Name: "xsync", Role: bench.Peer, Rival: true, About: "puzpuzpuz/xsync's Counter, striped as a LongAdder with a pool of tokens for goroutines."},
		New: newXsync, Make: func() any { c := xsync.NewCounter(); c.Inc(); return c }},
	{Row: contest.Row{Name: "crlib", Role: bench.Peer, About: "cockroachdb/crlib's Counter, sharded by a pool of tokens for goroutines."},
		New: newCrlib, Make: func() any { c := crsync.MakeCounter(); c.Add(1); return &c }},
	{Row: contest.Row{Name: "victoria", Role: bench.Peer, About: "VictoriaMetrics/metrics' Counter, one atomic word."},
		New: newVictoria, Make: func() any { c := new(victoria.Counter); c.Inc(); return c }},
	{Row: contest.Row{Name: "prometheus", Role: bench.Peer, About: "The Prometheus client's Counter, an atomic word for whole numbers and one for the rest."},
		New: newPrometheus, Make: func() any { c := prometheus.NewCounter(prometheus.CounterOpts{Name: "c"}); c.Inc(); return c }, Called: true},
	{Row: contest.Row{Name: "otel", Role: bench.Peer, About: "The OpenTelemetry SDK's Int64Counter, without attributes."},
		New: newOtel, Make: func() any { c := otelCounter(otelMeter); c.Add(context.Background(), 1); return c }, Called: true},
	{Row: contest.Row{Name: "gometrics", Role: bench.Peer, About: "rcrowley/go-metrics' Counter, one atomic word behind an interface."},
		New: newGometrics, Make: func() any { c := gometrics.NewCounter(); c.Inc(1); return c }, Called: true},
	{Row: contest.Row{Name: "expvar", Role: bench.Peer, About: "The standard library's expvar.Int, one atomic word."},
		New: newExpvar, Make: func() any { c := new(expvar.Int); c.Add(1); return c }},
}

func shared(loop func(int), add func(int64)) func() contest.Worker {
	return func() contest.Worker { return contest.Worker{Loop: loop, Add: add} }
}

func newXsync() contest.Subject {
	c := xsync.NewCounter()
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Inc()
			}
		}, c.Add),
		Value: c.Value,
	}
}

func newCrlib() contest.Subject {
	c := crsync.MakeCounter()
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Get,
	}
}

func newVictoria() contest.Subject {
	c := victoria.NewSet().NewCounter("adds_total")
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Inc()
			}
		}, c.AddInt64),
		Value: func() int64 { return int64(c.Get()) },
	}
}

func newPrometheus() contest.Subject {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "adds_total"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Inc()
			}
		}, func(delta int64) { c.Add(float64(delta)) }),
		Value: func() int64 {
			families, err := registry.Gather()
			if err != nil {
				panic(err)
			}
			return int64(families[0].Metric[0].Counter.GetValue())
		},
	}
}

// otelMeter makes the counters whose memory is measured.
var otelMeter = otel.NewMeterProvider(otel.WithReader(otel.NewManualReader())).Meter("hotpath")

// otelCounters keeps the names of counters apart: a meter returns one counter
// for each name.
var otelCounters int

func otelCounter(m metric.Meter) metric.Int64Counter {
	otelCounters++
	c, err := m.Int64Counter("adds" + strconv.Itoa(otelCounters))
	if err != nil {
		panic(err)
	}
	return c
}

func newOtel() contest.Subject {
	ctx := context.Background()
	reader := otel.NewManualReader()
	c := otelCounter(otel.NewMeterProvider(otel.WithReader(reader)).Meter("hotpath"))
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(ctx, 1)
			}
		}, func(delta int64) { c.Add(ctx, delta) }),
		Value: func() int64 {
			var m metricdata.ResourceMetrics
			if err := reader.Collect(ctx, &m); err != nil {
				panic(err)
			}
			var sum int64
			for _, scope := range m.ScopeMetrics {
				for _, sum64 := range scope.Metrics {
					for _, p := range sum64.Data.(metricdata.Sum[int64]).DataPoints {
						sum += p.Value
					}
				}
			}
			return sum
		},
	}
}

func newGometrics() contest.Subject {
	c := gometrics.NewCounter()
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Inc(1)
			}
		}, c.Inc),
		Value: c.Count,
	}
}

func newExpvar() contest.Subject {
	c := new(expvar.Int) // as expvar.NewInt makes it, without the process-wide name
	return contest.Subject{
		Worker: shared(func(n int) {
			for range n {
				c.Add(1)
			}
		}, c.Add),
		Value: c.Value,
	}
}

func TestPeers(t *testing.T) {
	for _, c := range peers {
		t.Run(c.Name, func(t *testing.T) { contest.TestExact(t, c) })
	}
}

func TestPeersInline(t *testing.T) {
	for _, c := range peers {
		t.Run(c.Name, func(t *testing.T) { contest.TestInlining(t, c.New, c.Called) })
	}
}

func TestRows(t *testing.T) {
	var rows []contest.Row
	for _, c := range counters() {
		rows = append(rows, c.Row)
	}
	if err := contest.CheckRows(rows); err != nil {
		t.Error(err)
	}
}
