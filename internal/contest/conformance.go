package contest

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// TestCounter checks that a counter keeps what the package comment of
// impl/counter promises. The floor, which is no counter, passes.
func TestCounter(t *testing.T, c Counter) {
	if c.New().Value == nil {
		return
	}
	t.Run("exact", func(t *testing.T) { TestExact(t, c) })
	t.Run("wraps", func(t *testing.T) { testWraps(t, c) })
}

// TestExact lets many goroutines add to a counter while GOMAXPROCS changes and
// the garbage collector runs. Reads must stay within what is complete and what
// has begun, must not decrease, and must be exact in the end.
func TestExact(t *testing.T, c Counter) {
	const workers = 64
	made, changed, err := hammer(c.New(), workers, operations(t, workers*100_000)/workers)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d operations, GOMAXPROCS changed %d times, 0 lost", made, changed)
}

// soak, in the environment, is the number of operations of each contestant's
// exact test, for a longer one than usual.
const soak = "HOTPATH_SOAK"

// operations returns how many an exact test makes, of which usual are enough.
func operations(t *testing.T, usual int) int {
	t.Helper()
	if env := os.Getenv(soak); env != "" {
		n, err := strconv.ParseFloat(env, 64)
		if err != nil {
			t.Fatalf("%s: %v", soak, err)
		}
		return int(n)
	}
	if raceDetector {
		usual /= 10
	}
	return usual
}

// hammerBatch is how many operations a worker makes between two looks at what it
// has begun and completed. It then yields, so that it goes on under another
// GOMAXPROCS and on another P.
const hammerBatch = 64

// progress is what one worker has begun and completed.
type progress struct {
	begun, complete atomic.Int64
	_               [112]byte
}

// hammer runs the workers for at least minOps operations each and until
// GOMAXPROCS has changed often enough. It returns how many operations they made
// and how often GOMAXPROCS changed.
func hammer(s Subject, workers, minOps int) (ops, changed int64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const enough = 100
	var made, changes atomic.Int64
	var working, others sync.WaitGroup
	all := make([]progress, workers)
	for i := range all {
		working.Go(func() {
			w, p := s.Worker(), &all[i]
			for batch := 0; batch*hammerBatch < minOps || changes.Load() < enough; batch++ {
				p.run(w, batch)
				made.Add(hammerBatch)
				runtime.Gosched()
			}
			if w.Done != nil {
				w.Done()
			}
		})
	}
	stop := make(chan struct{})
	others.Go(func() { churn(&changes, stop) })
	others.Go(func() { err = watch(s.Value, all, stop) })
	working.Wait()
	close(stop)
	others.Wait()

	if got, want := s.Value(), total(all, complete); err == nil && got != want {
		err = fmt.Errorf("value %d after %d was added: %d off", got, want, got-want)
	}
	return made.Load(), changes.Load(), err
}

// run makes a batch of operations, through Loop or through Add by turns.
func (p *progress) run(w Worker, batch int) {
	if batch%2 == 0 {
		p.begun.Add(hammerBatch)
		w.Loop(hammerBatch)
		p.complete.Add(hammerBatch)
		return
	}
	delta := int64(batch % 8)
	p.begun.Add(delta * hammerBatch)
	for range hammerBatch {
		w.Add(delta)
	}
	p.complete.Add(delta * hammerBatch)
}

// churn changes GOMAXPROCS between 1 and 8 and collects garbage until stop.
func churn(changes *atomic.Int64, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		n := changes.Add(1)
		runtime.GOMAXPROCS(int(1 + n*3%8))
		if n%16 == 0 {
			runtime.GC()
		}
		runtime.Gosched()
	}
}

// watch reads until stop. What is complete is read before the value and what has
// begun after it, so the value lies between the two whatever happens meanwhile.
func watch(value func() int64, all []progress, stop <-chan struct{}) error {
	last := int64(math.MinInt64)
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		low := total(all, complete)
		v := value()
		high := total(all, begun)
		switch {
		case v < low || v > high:
			return fmt.Errorf("value %d with %d complete and %d begun", v, low, high)
		case v < last:
			return fmt.Errorf("value %d after a reader saw %d", v, last)
		}
		last = v
		runtime.Gosched()
	}
}

func begun(p *progress) int64    { return p.begun.Load() }
func complete(p *progress) int64 { return p.complete.Load() }

func total(all []progress, of func(*progress) int64) int64 {
	var sum int64
	for i := range all {
		sum += of(&all[i])
	}
	return sum
}

// testWraps passes the largest value with adds of several goroutines, down and
// up again.
func testWraps(t *testing.T, c Counter) {
	s := c.New()
	var want int64
	for _, delta := range []int64{math.MaxInt64, 1, -5, math.MinInt64, 4, math.MinInt64} {
		want += delta
		done := make(chan struct{})
		go func() {
			defer close(done)
			w := s.Worker()
			w.Add(delta)
			if w.Done != nil {
				w.Done()
			}
		}()
		<-done
	}
	if got := s.Value(); got != want {
		t.Errorf("value %d, want %d", got, want)
	}
}
