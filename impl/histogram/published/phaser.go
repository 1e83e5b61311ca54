package published

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Phaser is HdrHistogram's WriterReaderPhaser: it lets a reader wait for the
// writers of the moment to be done, while new ones go on.
//
// The use is a pair of buffers. A writer calls Enter, finds out which buffer is
// active, writes to it and calls Exit; these two never wait. A reader takes
// ReaderLock, makes the other buffer the active one and calls Flip. When Flip
// returns, no writer still holds the buffer that was active before.
//
// Any number of writers and readers may use a Phaser. The zero value is ready to
// use. It must not be copied after its first use.
type Phaser struct {
	// Writers that entered since the last flip, in phases that count up from 0 and
	// from math.MinInt64 in turn, so that the sign is the phase.
	entered atomic.Int64
	// Writers that left, of those that entered in a phase.
	leftEven, leftOdd atomic.Int64
	readers           sync.Mutex
}

// Enter begins a write. Its result is for Exit.
func (p *Phaser) Enter() (phase int64) { return p.entered.Add(1) - 1 }

// Exit ends the write that began with the Enter that returned phase.
func (p *Phaser) Exit(phase int64) {
	if phase < 0 {
		p.leftOdd.Add(1)
	} else {
		p.leftEven.Add(1)
	}
}

// ReaderLock keeps other readers out until ReaderUnlock. It does not hold up
// writers. Unlike Java's it must not be taken twice.
func (p *Phaser) ReaderLock() { p.readers.Lock() }

// ReaderUnlock lets the next reader in.
func (p *Phaser) ReaderUnlock() { p.readers.Unlock() }

// Flip returns when all writers that had entered before the call have left. While
// it waits it sleeps for pause at a time, or with a pause of 0 lets other
// goroutines run. It panics if no reader holds ReaderLock.
func (p *Phaser) Flip(pause time.Duration) {
	if p.readers.TryLock() {
		p.readers.Unlock()
		panic("histogram: Flip without ReaderLock")
	}
	left, nextLeft, next := &p.leftEven, &p.leftOdd, int64(math.MinInt64)
	if p.entered.Load() < 0 {
		left, nextLeft, next = nextLeft, left, 0
	}
	nextLeft.Store(next)
	entered := p.entered.Swap(next)
	for left.Load() != entered {
		if pause == 0 {
			runtime.Gosched()
		} else {
			time.Sleep(pause)
		}
	}
}
