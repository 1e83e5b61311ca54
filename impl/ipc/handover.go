package ipc

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Handlers that may block run on the goroutine that reads their connection, as
// the others do: waking another goroutine for each call would cost more than a
// fast handler. But the reading does not wait for them. A handler that is still
// running after a tick goes on by itself, and a new goroutine takes over the
// reading; and where handlers of a method have been slow lately, it does so
// before the handler starts.

const (
	// handoverTick is rarely enough that ticking costs next to nothing beside the
	// calls of a busy server.
	handoverTick = 4 * time.Millisecond

	// slowHandler is longer than it takes to wake a goroutine by far, so that
	// handing over costs little compared with the handler itself.
	slowHandler = 50 * time.Microsecond
)

// method is a Method of a server.
type method struct {
	Method
	name string
	// slow rises with every slow call and falls with every fast one: a few slow
	// ones in a row are a slow method, one in many is noise.
	slow atomic.Int32
}

const (
	slowStep = 4
	slowMax  = 16
	slowFrom = 8 // from here on the method is slow
)

func (m *method) took(d time.Duration) {
	slow := m.slow.Load()
	next := max(slow-1, 0)
	if d >= slowHandler {
		next = min(slow+slowStep, slowMax)
	}
	if next != slow {
		m.slow.Store(next)
	}
}

// slot is the right to run a handler that may block; there are Server.Workers.
type slot struct {
	conn   atomic.Pointer[conn] // whose reading waits for the handler
	seen   uint64               // its state one tick ago
	holder atomic.Pointer[conn] // whose moved handler has the slot
}

// enter waits for a slot. It returns nil when the connection is cut off.
func (c *conn) enter() *slot {
	select {
	case free := <-c.s.free:
		return free
	default:
	}
	c.flush()
	for look := time.NewTicker(lookTick); ; {
		select {
		case free := <-c.s.free:
			look.Stop()
			return free
		case <-c.off:
			look.Stop()
			return nil
		case <-look.C:
			c.look()
		}
	}
}

// lookTick is how often a connection that waits for its handlers, and does not
// read, looks whether its client is there.
const lookTick = 100 * time.Millisecond

// look ends the contexts of the calls if the client has gone.
func (c *conn) look() {
	switch closed, gone := peerState(c.nc); {
	case gone:
		c.cut()
	case closed:
		c.cancelCalls()
	}
}

// handleMayBlock answers a call whose handler may block. It reports whether
// another goroutine has taken over the reading meanwhile.
func (c *conn) handleMayBlock(call *Call) (moved bool) {
	call.slot = c.enter()
	if call.slot == nil {
		return false // nobody is there to be answered
	}
	call.word = c.stateWord(handling)
	if call.early = call.method.slow.Load() >= slowFrom; call.early {
		c.readElsewhere(call.slot)
	} else {
		call.slot.conn.Store(c)
		c.state.Store(call.word)
		c.s.wakeHandover()
	}
	start := time.Now()
	exception := call.handle()
	call.method.took(time.Since(start))
	return c.handled(call, exception)
}

// handled answers a call whose handler has come to its end. It reports whether
// another goroutine has taken over the reading meanwhile.
func (c *conn) handled(call *Call, exception *Exception) (moved bool) {
	slot := call.slot
	if slot == nil { // it was not to block
		call.answer(exception, &c.out)
		return false
	}
	if moved = call.early; !moved {
		slot.conn.Store(nil)
		moved = !c.state.CompareAndSwap(call.word, busy)
	}
	if !moved {
		c.s.free <- slot
		call.answer(exception, &c.out)
		return false
	}
	for !call.moved.Load() { // for the few lines of readElsewhere
		runtime.Gosched()
	}
	c.s.vacate(slot, c)
	call.answer(exception, &call.out)
	c.totals.fold(&call.out.Tally)
	call.held += call.out.Size
	c.inFlight.Add(int64(call.out.Size))
	c.enqueue(call)
	return true
}

// vacate frees a moved handler's slot, once: when the handler returns or, if that
// is earlier, when its context ends.
func (s *Server) vacate(slot *slot, c *conn) {
	if slot.holder.CompareAndSwap(c, nil) {
		s.free <- slot
	}
}

// goOn takes over from a goroutine that the call's handler has ended.
func (c *conn) goOn(call *Call, exception *Exception) {
	c.active.Add(1)
	c.s.goroutines.Go(func() {
		defer c.leave()
		if !c.handled(call, exception) {
			c.read()
		}
	})
}

// readElsewhere lets a new goroutine read on while the current call's handler
// runs. The caller must be the goroutine that reads, or have taken the state
// handling from it.
func (c *conn) readElsewhere(slot *slot) {
	call := c.call
	slot.holder.Store(c)
	call.exchange.Frame.Retain()
	c.inFlight.Add(int64(call.held))
	c.call = calls.Get().(*Call)
	c.active.Add(1)
	c.s.goroutines.Go(func() {
		defer c.leave()
		c.flush()
		c.waitForRoom()
		c.read()
	})
	call.moved.Store(true)
	if c.ended.Load() { // before it could see the slot
		c.s.vacate(slot, c)
	}
}

// release gives back what a moved call held, once its answer is written.
func (c *conn) release(call *Call) {
	held, frame := call.held, call.exchange.Frame
	call.reset()
	calls.Put(call)
	frame.Release()
	c.inFlight.Add(int64(-held))
	if c.hasRoom() {
		select {
		case c.room <- struct{}{}:
		default:
		}
	}
}

// hasRoom reports whether more may be read: moved calls hold less than the
// connection's limit, and nothing if all connections together are over theirs.
func (c *conn) hasRoom() bool {
	held := c.inFlight.Load()
	return held == 0 || held <= int64(c.s.maxInFlight()) && !c.s.budget.Spent()
}

// waitForRoom waits until there is room, or the connection is cut off. What moved
// calls hold is released even if it cannot be written.
func (c *conn) waitForRoom() {
	if c.hasRoom() {
		return
	}
	for look := time.NewTicker(lookTick); ; {
		select {
		case <-c.room:
		case <-c.off:
		case <-look.C: // others may have made room, or the client have gone
			c.look()
		}
		if c.hasRoom() || c.ended.Load() {
			look.Stop()
			return
		}
	}
}

// handover looks every tick for handlers that have not returned since the last
// one. It sleeps when there have been no handlers for a while.
func (s *Server) handover() {
	const patience = 25 // ticks
	for quiet := 0; s.ctx.Err() == nil; quiet++ {
		time.Sleep(handoverTick)
		if s.moveSlow() {
			quiet = 0
		}
		if quiet < patience {
			continue
		}
		quiet = 0
		s.handoverSleeps.Store(true)
		if s.moveSlow() && s.handoverSleeps.CompareAndSwap(true, false) {
			continue
		}
		select {
		case <-s.handoverWake:
		case <-s.ctx.Done():
		}
	}
}

// wakeHandover is called once a handler is visible to moveSlow.
func (s *Server) wakeHandover() {
	if s.handoverSleeps.Load() && s.handoverSleeps.CompareAndSwap(true, false) {
		s.handoverWake <- struct{}{}
	}
}

// moveSlow moves the reading away from the handlers that it has seen before. It
// reports whether there are others.
func (s *Server) moveSlow() (some bool) {
	for i := range s.slots {
		slot := &s.slots[i]
		c := slot.conn.Load()
		if c == nil {
			continue
		}
		some = true
		word := c.state.Load()
		switch {
		case word&(1<<stateBits-1) != handling:
		case word != slot.seen:
			slot.seen = word
		case c.state.CompareAndSwap(word, busy):
			c.readElsewhere(slot)
		}
	}
	return some
}
