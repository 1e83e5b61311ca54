//go:build !linux

package measure

import (
	"sync"
	"time"
)

// word is a number that goroutines wait for.
type word struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    uint32
}

func (w *word) init() {
	if w.cond == nil {
		w.cond = sync.NewCond(&w.mu)
	}
}

// await returns when the number is not seen any more.
func (w *word) await(seen uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	for w.n == seen {
		w.cond.Wait()
	}
}

// wakeAll adds one and wakes all.
func (w *word) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.init()
	w.n++
	w.cond.Broadcast()
}

func pause(d time.Duration) { time.Sleep(d) }
