package counter

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"hotpath/impl/internal/pin"
)

func TestPerPKeepsOlderBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var c PerP
	g := NewGroup(3)
	if n := len(g.block.Load().words); n != lineWords {
		t.Errorf("a group of 3 has %d words at GOMAXPROCS=1, want one line of %d", n, lineWords)
	}
	c.Add(1)
	g.Add(2, 1)
	grow(&c.block, 7, lineWords)
	grow(&g.block, 7, g.stride)
	c.Add(1)
	g.Add(2, 1)
	for name, b := range map[string]*block{"PerP": c.block.Load(), "Group": g.block.Load()} {
		if !pin.Exclusive {
			break // the id of a P is a guess, and may have asked for more rows
		}
		if len(b.words) != 8*lineWords || b.older == nil || b.older.older != nil {
			t.Errorf("%s: want a block with 8 rows before the first one", name)
		}
	}
	if c.Value() != 2 || g.Value(2) != 2 || g.Value(0) != 0 {
		t.Errorf("PerP %d, Group %d and %d, want 2, 2 and 0", c.Value(), g.Value(2), g.Value(0))
	}
}

func TestLinesAreNotShared(t *testing.T) {
	if n := unsafe.Sizeof(Handle{}); n != lineSize {
		t.Errorf("a handle has %d bytes", n)
	}
	for p := 1; p <= 64; p++ {
		b := &block{words: make([]word, p*lineWords)}
		if at := uintptr(unsafe.Pointer(&b.words[0])); at%lineSize != 0 {
			t.Errorf("the words of %d Ps begin %d bytes into a line", p, at%lineSize)
		}
	}
	var c PerP
	for range 100 {
		if at := uintptr(unsafe.Pointer(c.Handle())); at%lineSize != 0 {
			t.Fatalf("a handle begins %d bytes into a line", at%lineSize)
		}
	}
}

func TestGroupSize(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for n := 64; n < 1000; n++ {
		g := NewGroup(n)
		words := g.block.Load().words
		bytes := float64(len(words))*float64(unsafe.Sizeof(word{})) + float64(unsafe.Sizeof(*g)+unsafe.Sizeof(block{}))
		if per := bytes / float64(n) / 8; per > 10 {
			t.Fatalf("a group of %d takes %.2f bytes per counter and P", n, per)
		}
	}
}

func TestGroupBounds(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	g := NewGroup(3)
	for _, i := range []int{-1, 3, lineWords} {
		if !panics(func() { g.Add(i, 1) }) || !panics(func() { g.Value(i) }) {
			t.Errorf("index %d of a group of 3 was accepted", i)
		}
	}
	if !panics(func() { NewGroup(-1) }) {
		t.Error("a group of -1 was made")
	}
	for i := range NewGroup(0).Len() {
		t.Errorf("an empty group has a counter %d", i)
	}
}

func TestHandleClose(t *testing.T) {
	var c PerP
	a, b, d := c.Handle(), c.Handle(), c.Handle()
	a.Add(1)
	b.Add(10)
	d.Add(100)
	for _, h := range []*Handle{a, a, d, b, b} {
		h.Close()
		if got := c.Value(); got != 111 {
			t.Fatalf("value %d after a close, want 111", got)
		}
	}
	if n := len(c.handles.Load().open); n != 0 {
		t.Errorf("%d handles are still open", n)
	}
}

// Readers must see each increment in exactly one interval while handles come and
// go and other readers take intervals of their own.
func TestIntervalsAddUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var c PerP
	c.Add(7)
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	const adds = 20_000
	totals := make([]int64, 3)
	for i := range totals {
		in := NewInterval(c.Value)
		readers.Go(func() {
			for {
				d, _ := in.Next()
				if d < 0 {
					t.Errorf("an interval of %d", d)
				}
				totals[i] += d
				select {
				case <-stop:
					d, _ := in.Next()
					totals[i] += d
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	for range 8 {
		writers.Go(func() {
			for i := range adds {
				if i%10 != 0 {
					c.Add(1)
					continue
				}
				h := c.Handle()
				h.Add(1)
				h.Close()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	for _, got := range totals {
		if got != 8*adds {
			t.Errorf("intervals add up to %d, want %d", got, 8*adds)
		}
	}
}

func TestIntervalWraps(t *testing.T) {
	var c Atomic
	c.Add(1<<63 - 1)
	in := NewInterval(c.Value)
	c.Add(5)
	if d, _ := in.Next(); d != 5 {
		t.Errorf("interval %d across the largest value, want 5", d)
	}
}
