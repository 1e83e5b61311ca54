package prometheus

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"hotpath/impl/histogram"
)

// seconds are options for latencies of up to a minute.
func seconds(name string) Opts {
	return Opts{
		HistogramOpts: prometheus.HistogramOpts{Name: name, Help: "Latency of operations."},
		Range:         histogram.Range{Lowest: 1000, Highest: int64(time.Minute), Digits: 3},
		Scale:         1e9,
	}
}

// A vector outgrows what was taken for it; its series stay apart.
func TestSeries(t *testing.T) {
	opts := seconds("x_seconds")
	opts.Series = 1
	v := NewHistogramVec(opts, []string{"a", "b"})
	const n = 100
	for i := range n {
		o := v.WithLabelValues(strconv.Itoa(i), "b")
		if again := v.With(prometheus.Labels{"b": "b", "a": strconv.Itoa(i)}); again != o {
			t.Fatalf("two series of the labels %d and b", i)
		}
		for range i + 1 {
			o.Observe(1)
		}
	}
	for i := range n {
		h := scraped(t, v.WithLabelValues(strconv.Itoa(i), "b"))
		if h.GetSampleCount() != uint64(i+1) || h.GetSampleSum() != float64(i+1) {
			t.Errorf("series %d has %d values with the sum %g", i, h.GetSampleCount(), h.GetSampleSum())
		}
	}
	if got := testutil.CollectAndCount(v, "x_seconds"); got != n {
		t.Errorf("%d series collected, want %d", got, n)
	}
}

func TestCurry(t *testing.T) {
	v := NewHistogramVec(seconds("x_seconds"), []string{"a", "b"})
	v.MustCurryWith(prometheus.Labels{"a": "1"}).WithLabelValues("2").Observe(1)
	if got := scraped(t, v.WithLabelValues("1", "2")).GetSampleCount(); got != 1 {
		t.Errorf("%d values behind the curried vector, want 1", got)
	}
	v.DeleteLabelValues("1", "2")
	if got := scraped(t, v.WithLabelValues("1", "2")).GetSampleCount(); got != 0 {
		t.Errorf("%d values in a series that follows a deleted one", got)
	}
	for name, err := range map[string]error{
		"GetMetricWithLabelValues": second(v.GetMetricWithLabelValues("1")),
		"GetMetricWith":            second(v.GetMetricWith(prometheus.Labels{"a": "1", "c": "2"})),
		"CurryWith":                second(v.CurryWith(prometheus.Labels{"c": "2"})),
	} {
		if err == nil {
			t.Errorf("%s takes labels that the vector does not have", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// What the Range does not hold is in a counter, and nowhere else.
func TestRefused(t *testing.T) {
	v := NewHistogramVec(seconds("x_seconds"), []string{"a"})
	o := v.WithLabelValues("b")
	for _, refused := range []float64{-1e-9, -1, math.Inf(-1), 3600, 1e300, math.Inf(1), math.NaN()} {
		o.Observe(refused)
	}
	for _, held := range []float64{0, -4e-10, 60, 1.6e-9} {
		o.Observe(held)
	}
	if h := scraped(t, o); h.GetSampleCount() != 4 || h.GetSampleSum() != 60.000000002 {
		t.Errorf("%d values held, with the sum %g", h.GetSampleCount(), h.GetSampleSum())
	}
	const want = `# HELP x_seconds_refused_total Values that x_seconds does not hold: negative, too large or NaN.
# TYPE x_seconds_refused_total counter
x_seconds_refused_total{a="b"} 7
`
	if err := testutil.CollectAndCompare(v, strings.NewReader(want), "x_seconds_refused_total"); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.CollectAndLint(v); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
}

func TestExemplars(t *testing.T) {
	v := NewHistogramVec(seconds("x_seconds"), nil)
	o := v.WithLabelValues().(prometheus.ExemplarObserver)
	o.ObserveWithExemplar(1, nil)
	if got := scraped(t, v.WithLabelValues()).GetSampleCount(); got != 1 {
		t.Errorf("%d values, want 1", got)
	}
	if said := panics(func() { o.ObserveWithExemplar(1, prometheus.Labels{"trace": "1"}) }); !strings.Contains(said, "x_seconds got an exemplar") {
		t.Errorf("an exemplar: %q", said)
	}
}

func TestOpts(t *testing.T) {
	for want, change := range map[string]func(*Opts){
		"is to keep exemplars":                  func(o *Opts) { o.NativeHistogramMaxExemplars = 1 },
		"has a scale of 0":                      func(o *Opts) { o.Scale = 0 },
		"has a scale of NaN":                    func(o *Opts) { o.Scale = math.NaN() },
		"has a label le":                        func(o *Opts) { o.ConstLabels = prometheus.Labels{"le": "1"} },
		"has a bucket up to 2 before one up to": func(o *Opts) { o.Buckets = []float64{1, 2, 2} },
	} {
		opts := seconds("x")
		change(&opts)
		if said := panics(func() { NewHistogramVec(opts, []string{"a"}) }); !strings.Contains(said, "x "+want) {
			t.Errorf("the panic says %q, want %q in it", said, want)
		}
	}
	if said := panics(func() { NewHistogramVec(seconds("x"), []string{"le"}) }); !strings.Contains(said, "has a label le") {
		t.Errorf("a label le: %q", said)
	}
}

func panics(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said, _ = r.(string)
		}
	}()
	f()
	return ""
}

// Many make series, observe and scrape at once, and nothing is lost.
func TestTogether(t *testing.T) {
	v := NewHistogramVec(seconds("x_seconds"), []string{"a"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(v)
	const workers, series, each = 16, 20, 200
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range each * series {
				v.WithLabelValues(strconv.Itoa(i % series)).Observe(0.001)
				if i%(each*series/4) == 0 {
					if _, err := registry.Gather(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for i := range series {
		if got := scraped(t, v.WithLabelValues(strconv.Itoa(i))).GetSampleCount(); got != workers*each {
			t.Errorf("series %d has %d values, want %d", i, got, workers*each)
		}
	}
}
