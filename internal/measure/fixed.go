package measure

import (
	"sync"
	"time"

	"hotpath/internal/bench"
)

// fixed runs a number of operations.
type fixed struct {
	threads int
	ahead   sync.WaitGroup // workers that have yet to finish the lead-in
	behind  sync.WaitGroup // and the work
	opening sync.Once
}

func (w *fixed) begin(o bench.Order) *turn {
	w.ahead.Add(w.threads)
	w.behind.Add(w.threads)
	w.opening = sync.Once{}
	return newTurn(o, func() []int64 { return nil })
}

// do waits for the slowest worker at the end of the lead-in. The first to go on
// opens what is counted, and the last to come closes it.
func (w *fixed) do(t *turn, i int, body func(int)) {
	body(part(t.order.Warm, i, w.threads))
	w.ahead.Done()
	w.ahead.Wait()
	w.opening.Do(t.open)
	body(part(t.order.Ops, i, w.threads))
	end := time.Since(base)
	t.changing.Lock()
	t.closed.at = max(t.closed.at, end)
	t.changing.Unlock()
	w.behind.Done()
	w.behind.Wait()
}

func (w *fixed) count(t *turn) counted {
	c := counted{
		ops:  int64(t.order.Ops),
		all:  int64(t.order.Ops + t.order.Warm),
		wall: t.closed.at - t.opened.at,
		ran:  make([]bool, w.threads),
	}
	for i := range c.ran {
		c.ran[i] = part(t.order.Ops, i, w.threads) > 0
	}
	return c
}
