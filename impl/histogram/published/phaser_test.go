package published

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A flip waits for the writer that entered before it, and for no later one.
func TestPhaserFlipWaits(t *testing.T) {
	var p Phaser
	for range 3 { // so that both phases have their turn
		early := p.Enter()
		flipped := make(chan struct{})
		go func() {
			p.ReaderLock()
			defer p.ReaderUnlock()
			p.Flip(0)
			close(flipped)
		}()
		for (p.entered.Load() < 0) == (early < 0) {
			runtime.Gosched()
		}
		late := p.Enter()
		if (early < 0) == (late < 0) {
			t.Fatal("a writer entered the old phase during a flip")
		}
		for range 100 {
			runtime.Gosched()
			select {
			case <-flipped:
				t.Fatal("Flip returned before the writer left")
			default:
			}
		}
		p.Exit(early)
		<-flipped
		p.Exit(late)
	}
}

func TestPhaserFlipWithoutLock(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Flip without ReaderLock did not panic")
		}
	}()
	new(Phaser).Flip(0)
}

// hammerPhaser lets writers count in one of two buffers while a reader takes
// turns with them. It returns how many counts were written and how many the
// reader found.
func hammerPhaser(flip func(p *Phaser)) (written, found int64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const writers, writes = 8, 10_000
	var p Phaser
	var active atomic.Pointer[atomic.Int64]
	active.Store(new(atomic.Int64))
	inactive := new(atomic.Int64)
	var wg sync.WaitGroup
	var done atomic.Int32
	for range writers {
		wg.Go(func() {
			for i := range writes {
				phase := p.Enter()
				buffer := active.Load()
				if i%100 == 0 {
					runtime.Gosched() // writers are interrupted at the worst moment, too
				}
				buffer.Add(1)
				p.Exit(phase)
			}
			done.Add(1)
		})
	}
	take := func() {
		p.ReaderLock()
		defer p.ReaderUnlock()
		inactive = active.Swap(inactive)
		flip(&p)
		found += inactive.Load()
		inactive.Store(0)
	}
	for done.Load() < writers {
		take()
		runtime.Gosched()
	}
	wg.Wait()
	take()
	return writers * writes, found
}

func TestPhaserLosesNothing(t *testing.T) {
	if written, found := hammerPhaser(func(p *Phaser) { p.Flip(0) }); found != written {
		t.Errorf("%d of %d counts found", found, written)
	}
}

// The hammer notices a flip that does not wait.
func TestPhaserHammerNotices(t *testing.T) {
	for range 20 {
		if written, found := hammerPhaser(func(*Phaser) {}); found != written {
			return
		}
	}
	t.Error("20 hammers found nothing wrong with a flip that does not wait")
}
