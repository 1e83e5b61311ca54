package histogram

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotpath/impl/internal/pin"
)

// A snapshot has every Record that returned before it. The one histogram has few
// cells, so that snapshots hold the lock most of the time and chunks are exchanged
// while they look for them.
func TestSnapshotHasWhatReturned(t *testing.T) {
	const writers = 2
	records := 1_000_000
	if !pin.Exclusive {
		records /= 20 // the race detector takes its time
	}
	s := NewSet(Range{1, 2, 1}, 1)
	var done [writers]struct {
		position
		_ [lineSize]byte
	}
	var stop atomic.Bool
	var writing, reading sync.WaitGroup
	for w := range done {
		writing.Go(func() {
			for n := range records {
				s.Record(0, int64(n%16))
				done[w].store(n + 1)
			}
		})
	}
	snapshots := 0
	reading.Go(func() {
		var now *Snapshot
		for last := false; !last; snapshots++ {
			last = stop.Load()
			var want int64
			for w := range done {
				want += int64(done[w].load())
			}
			now = s.Snapshot(0, now)
			if now.Count < want {
				t.Errorf("%d in a snapshot, %d had returned", now.Count, want)
				return
			}
		}
		if now.Count != int64(writers*records) {
			t.Errorf("%d at the end, want %d", now.Count, writers*records)
		}
	})
	writing.Wait()
	stop.Store(true)
	reading.Wait()
	t.Logf("%d snapshots", snapshots)
}

// Record does not wait for one who holds the lock, up to the bound; what it logged
// meanwhile is in the next snapshot.
func TestRecordDoesNotWait(t *testing.T) {
	s := NewSet(Range{1, 100, 1}, columns)
	st := &s.stripes[0]
	st.mu.Lock()
	const records = maxWaiting * chunkLen
	for range records {
		s.Record(0, 7)
	}
	if n := st.waiting.Load(); n < maxWaiting-1 || n > maxWaiting {
		t.Errorf("%d chunks wait after %d", n, maxWaiting)
	}
	beyond := make(chan struct{})
	go func() {
		defer close(beyond)
		for range 10 * records {
			s.Record(0, 7)
		}
	}()
	for st.waiting.Load() <= maxWaiting {
		runtime.Gosched()
	}
	select {
	case <-beyond:
		t.Errorf("%d chunks wait, and nobody for them to be drained", st.waiting.Load())
	case <-time.After(300 * time.Millisecond): // in which all would be recorded many times
	}
	if n := st.waiting.Load(); n > maxWaiting+1 {
		t.Errorf("%d chunks wait, the bound is %d", n, maxWaiting)
	}
	st.mu.Unlock()
	<-beyond
	if n := st.waiting.Load(); n > maxWaiting {
		t.Errorf("%d chunks wait, the bound is %d", n, maxWaiting)
	}
	if n := s.Snapshot(0, nil).Count; n != 11*records {
		t.Errorf("counted %d, want %d", n, 11*records)
	}
	if n := st.waiting.Load(); n != 0 {
		t.Errorf("%d chunks wait after a snapshot", n)
	}
}

// A chunk found both in a row and on the stack is drained once.
func TestDrainedOnce(t *testing.T) {
	s := NewSet(Range{1, 100, 1}, columns)
	for range chunkLen {
		s.Record(0, 7)
	}
	st := &s.stripes[0]
	for _, r := range *s.rows.table.Load() {
		if c := r.chunks[0].Load(); c != noChunk {
			st.waiting.Add(1)
			st.full.push(c)
		}
	}
	if n := s.Snapshot(0, nil).Count; n != chunkLen {
		t.Errorf("counted %d, want %d", n, chunkLen)
	}
}

// A goroutine that made for the stripe of its P's lane and comes to another P on the
// way leaves that one's log alone, which belongs to another lane.
func TestOtherLane(t *testing.T) {
	if !pin.Exclusive {
		t.Skip("which row is entered is up to a guess")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := NewSet(Range{1, 100, 1}, 1)
	for range chunkLen {
		s.Record(0, 7)
	}
	first := (*s.rows.table.Load())[0]
	full := first.chunks[0].Load()
	other := &s.stripes[1]
	other.exchange(&s.rows)
	other.mu.Lock()
	emptied := other.emptyInPlace(&s.rows)
	other.mu.Unlock()
	if emptied || other.waiting.Load() != 0 || first.chunks[0].Load() != full || !full.full() {
		t.Error("the log of another lane was taken")
	}
	s.Record(0, 7)
	if n := s.Snapshot(0, nil).Count; n != chunkLen+1 {
		t.Errorf("counted %d, want %d", n, chunkLen+1)
	}
}
