package measure

import (
	"bufio"
	"fmt"
	"os"
	gometrics "runtime/metrics"
	"time"

	"hotpath/internal/bench"
)

// The heap is looked at in a turn of its own, and often: several times in the
// shortest cycle of the collector that the study's contestants bring about.
const (
	heapPeriod = 200 * time.Microsecond
	heapWatch  = 100 * time.Millisecond
)

// heapSample is the heap at a moment.
type heapSample struct {
	at     time.Duration // since the turn began
	bytes  uint64        // occupied by objects, dead ones that are not swept yet included
	cycles uint64        // of the collector that have ended, since the process began
}

// heapOverTime runs one more turn, which counts for nothing else, and looks at
// the heap meanwhile.
func (s *session) heapOverTime() ([]heapSample, error) {
	perOp := float64(s.kept.wall) / float64(s.kept.ops)
	order := bench.Order{Verb: bench.VerbTurn, Ops: max(s.Threads, int(float64(heapWatch)/perOp))}
	stop, samples := make(chan struct{}), make(chan []heapSample)
	go func() { samples <- lookAtHeap(stop) }()
	_, err := s.turn(order)
	close(stop)
	s.pending = nil
	return <-samples, err
}

// lookAtHeap looks at the heap from time to time until it is stopped.
func lookAtHeap(stop <-chan struct{}) []heapSample {
	samples := make([]heapSample, 0, 1<<10)
	read := []gometrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	start := time.Now()
	for {
		gometrics.Read(read)
		samples = append(samples, heapSample{time.Since(start), read[0].Value.Uint64(), read[1].Value.Uint64()})
		select {
		case <-stop:
			return samples
		default:
			pause(heapPeriod)
		}
	}
}

// writeHeap writes the samples as CSV, if a file is named. Cycles count from the
// first sample.
func writeHeap(path string, samples []heapSample) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "ms,heap-B,gc-cycles")
	for _, s := range samples {
		fmt.Fprintf(w, "%.3f,%d,%d\n", s.at.Seconds()*1e3, s.bytes, s.cycles-samples[0].cycles)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Sync()
}
