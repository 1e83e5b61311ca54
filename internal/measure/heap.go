package measure

import (
	"bufio"
	"fmt"
	"os"
	gometrics "runtime/metrics"
	"time"
)

// heapPeriod is how often the heap is looked at: a few times in the shortest
// cycle of the collector that the study's contestants bring about.
const heapPeriod = 5 * time.Millisecond

// heapSample is the heap at a moment.
type heapSample struct {
	at     time.Duration // since the watch began
	bytes  uint64        // occupied by objects, dead ones that are not swept yet included
	cycles uint64        // of the collector that have ended, since the process began
}

// heapWatch looks at the heap from time to time until it is ended.
type heapWatch struct {
	stop    chan struct{}
	samples chan []heapSample
}

func watchHeap() heapWatch {
	w := heapWatch{make(chan struct{}), make(chan []heapSample)}
	go func() {
		samples := make([]heapSample, 0, 1<<10)
		read := []gometrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
		tick := time.NewTicker(heapPeriod)
		defer tick.Stop()
		start := time.Now()
		for {
			gometrics.Read(read)
			samples = append(samples, heapSample{time.Since(start), read[0].Value.Uint64(), read[1].Value.Uint64()})
			select {
			case <-tick.C:
			case <-w.stop:
				w.samples <- samples
				return
			}
		}
	}()
	return w
}

func (w heapWatch) end() []heapSample {
	close(w.stop)
	return <-w.samples
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
