package ipc

import "time"

// Deadlines on the sockets would be set anew for every request and answer, which
// costs more than all else that is done for one. Instead each connection shows
// what it waits for in a word that changes with every progress, and the watchdog
// looks at all of them from time to time.

// watched is what the watchdog saw of a connection, and since when.
type watched struct {
	state, writing           uint64
	stateSince, writingSince time.Time
}

// watchdog closes connections that have waited for too long. Waits begin up to
// one tick before it sees them and end up to one tick before it looks.
func (s *Server) watchdog() {
	const ticks = 8 // in the shortest timeout
	shortest := time.Duration(0)
	for _, t := range []time.Duration{s.idleTimeout(), s.readTimeout(), s.writeTimeout()} {
		if t > 0 && (shortest == 0 || t < shortest) {
			shortest = t
		}
	}
	if shortest == 0 {
		return
	}
	tick := time.NewTicker(max(shortest/ticks, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			for _, c := range s.connections() {
				if !c.ended.Load() && c.stalled(now) {
					s.timedOut.Add(1)
					c.cut()
				}
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// stalled reports, once, whether the connection has waited for too long.
func (c *conn) stalled(now time.Time) bool {
	w := &c.watched
	state, writing := c.state.Load(), c.writing.word.Load()
	if state != w.state || w.stateSince.IsZero() {
		w.state, w.stateSince = state, now
	}
	if writing != w.writing || w.writingSince.IsZero() {
		w.writing, w.writingSince = writing, now
	}
	limit := time.Duration(0)
	switch state & (1<<stateBits - 1) {
	case idle:
		if limit = c.s.idleTimeout(); c.active.Load() > 1 {
			w.stateSince = now // it waits for its own handlers
		}
	case halfClosed:
		limit = c.s.idleTimeout()
	case partial:
		limit = c.s.readTimeout()
	}
	late := limit > 0 && now.Sub(w.stateSince) >= limit
	if limit := c.s.writeTimeout(); writing&1 == 1 && limit > 0 && now.Sub(w.writingSince) >= limit {
		late = true
	}
	if late {
		w.stateSince, w.writingSince = now, now
	}
	return late
}
