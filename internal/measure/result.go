package measure

import (
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hotpath/internal/bench"
)

// metrics are figures by unit.
type metrics map[bench.Unit]float64

// sum is what some turns measured together.
type sum struct {
	measured
	turns int
}

func (s *sum) add(m measured) {
	s.turns++
	s.ops, s.all = s.ops+m.ops, s.all+m.all
	s.wall, s.latency, s.whole = s.wall+m.wall, s.latency+m.latency, s.whole+m.whole
	if s.ran == nil {
		s.ran = make([]bool, len(m.ran))
	}
	for i, ran := range m.ran {
		s.ran[i] = s.ran[i] || ran
	}
	s.used.add(m.used)
	s.response, s.service = merge(s.response, m.response), merge(s.service, m.service)
	if s.beside == nil {
		s.beside = map[bench.Unit]float64{}
	}
	for unit, v := range m.beside {
		s.beside[unit] += v
	}
}

// merge adds a histogram to another, which may be none yet.
func merge(into, h *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	if h == nil {
		return into
	}
	if into == nil {
		into = newHistogram()
	}
	into.Merge(h)
	return into
}

// result ends the session and returns the figures of the kept turns. Turns that
// nobody has judged are dropped.
func (s *session) result() (metrics, error) {
	for len(s.pending) > 0 {
		s.judge(false)
	}
	m := s.figures()
	if s.Mode == bench.Fixed && s.kept.turns > 0 {
		samples, err := s.heapOverTime()
		if err != nil {
			return nil, err
		}
		for _, h := range samples {
			m[bench.PeakHeap] = max(m[bench.PeakHeap], float64(h.bytes))
		}
		if err := writeHeap(os.Getenv(bench.EnvHeap), samples); err != nil {
			return nil, err
		}
	}
	s.crew.dismiss()
	s.collector.resume()
	if s.subject.Total != nil {
		if counted := s.subject.Total(); counted != s.done {
			return nil, fmt.Errorf("the contestant counts %d operations, %d were made", counted, s.done)
		}
	}
	if s.subject.Metrics != nil {
		maps.Copy(m, s.subject.Metrics())
	}
	return m, s.writeHlog(os.Getenv(bench.EnvHlog))
}

// figures are those of the kept turns; few where none was kept.
func (s *session) figures() metrics {
	k := &s.kept
	m := metrics{bench.Operations: float64(k.ops), bench.Turns: float64(k.turns), bench.WorkersRun: float64(k.workers())}
	if s.Mode == bench.Sample || s.Mode == bench.Open {
		m[bench.TimePerOp] = 0 // keeps the testing package from printing one
	}
	if k.ops == 0 {
		return m
	}
	ops, all := float64(k.ops), float64(k.all)
	m[bench.CPUPerOp] = k.cpu() * 1e9 / all
	m[bench.Parallelism] = k.cpu() / k.whole.Seconds()
	m[bench.BytesPerOp] = k.bytes / all
	m[bench.AllocsPerOp] = k.objects / all
	m[bench.GCCycles] = k.cycles / all
	m[bench.GCCPU] = k.gc * 1e9 / all
	m[bench.GCPauseP99] = k.pause(0.99)
	for unit, v := range k.beside {
		m[unit] = v / all
	}
	if cpu := k.beside[bench.ServerCPU]; cpu > 0 {
		m[bench.ServerGCShare] = k.beside[bench.ServerGCCPU] / cpu
	}
	switch s.Mode {
	case bench.Throughput:
		m[bench.TimePerOp] = float64(k.wall) / ops
		if s.Updates > 0 {
			m[bench.TimePerUpdate] = m[bench.TimePerOp] / float64(s.Updates)
		}
	case bench.Fixed:
		m[bench.TimePerOp] = float64(k.wall) / ops
		s.fixedFigures(m)
	case bench.Sample:
		m.latencies(k)
	case bench.Open:
		m.latencies(k)
		m.quantiles(bench.Service, k.service)
		m[bench.AchievedRate] = ops / k.wall.Seconds()
	}
	return m
}

// fixedFigures are what so many operations as the case names take of a process,
// or as many as were ordered by hand: the seconds of a shell's time, and the
// collector's share of them.
func (s *session) fixedFigures(m metrics) {
	k := &s.kept
	n := float64(s.Ops)
	if os.Getenv(bench.EnvTurns) == "" {
		n = float64(s.lastOps)
	}
	m[bench.Real] = k.wall.Seconds() / float64(k.ops) * n
	m[bench.User] = k.user / float64(k.all) * n
	m[bench.System] = k.system / float64(k.all) * n
	m[bench.CPUSeconds] = m[bench.User] + m[bench.System]
	m[bench.GCShare] = k.gc / k.cpu()
	m[bench.GCPauseP50], m[bench.GCPauseMax] = k.pause(0.5), k.pause(1)
}

func (m metrics) latencies(k *sum) {
	m[bench.MeanLatency] = float64(k.latency) / float64(k.ops)
	m.quantiles(bench.Latency, k.response)
}

// quantiles adds those of a distribution of nanoseconds. One with fewer than ten
// samples above it says more about luck.
func (m metrics) quantiles(unit func(percentile float64) bench.Unit, h *hdrhistogram.Histogram) {
	for _, p := range bench.Percentiles {
		if float64(h.TotalCount())*(1-p/100) >= 10 {
			m[unit(p)] = float64(h.ValueAtQuantile(p))
		}
	}
}

// gatedTag marks the interval of what was dropped in an HdrHistogram log.
const gatedTag = "gated"

// writeHlog writes an HdrHistogram log, if a file is named: an interval of the
// kept turns, and one with a tag of the others. Their times are those of the
// session.
func (s *session) writeHlog(path string) error {
	if path == "" || s.kept.response == nil && s.dropped.response == nil {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := hdrhistogram.NewHistogramLogWriter(f)
	write := []func() error{w.OutputLogFormatVersion, w.OutputLegend}
	for _, part := range []struct {
		hist *hdrhistogram.Histogram
		tag  string
	}{{s.kept.response, ""}, {s.dropped.response, gatedTag}} {
		if h := part.hist; h != nil {
			h.SetStartTimeMs(s.begun.UnixMilli())
			h.SetEndTimeMs(time.Now().UnixMilli())
			h.SetTag(part.tag)
			write = append(write, func() error { return w.OutputIntervalHistogram(h) })
		}
	}
	for _, step := range append(write, f.Sync) {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
