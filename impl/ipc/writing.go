package ipc

import (
	"sync"
	"sync/atomic"

	"hotpath/impl/ipc/internal/path"
)

// writeChunk is how many bytes a client must take in one WriteTimeout.
const writeChunk = 256 << 10

// writing is the sending side of a connection. Whoever holds the lock writes
// everything that is queued, so that a goroutine whose answer is ready while
// another one writes need not wait.
type writing struct {
	lock   sync.Mutex
	broken bool          // a write failed, what comes later is thrown away
	word   atomic.Uint64 // the writes so far <<1, plus 1 during one
	all    path.Output   // the queued answers, together

	queueLock sync.Mutex
	queue     []*Call // moved calls that wait for being written
	spare     []*Call // the queue's other array
	queued    atomic.Int32
}

// send writes what is queued and then o.
func (c *conn) send(o *path.Output) {
	c.writing.lock.Lock()
	c.writeQueued()
	c.write(o)
	c.writing.lock.Unlock()
	o.Reset()
	c.writeRest()
}

// enqueue leaves a moved call's answer to whoever writes, which may be the caller.
func (c *conn) enqueue(call *Call) {
	w := &c.writing
	w.queueLock.Lock()
	w.queue = append(w.queue, call)
	w.queued.Store(int32(len(w.queue)))
	w.queueLock.Unlock()
	c.writeRest()
}

// writeRest writes what was queued while the lock was held by someone who may
// not have seen it.
func (c *conn) writeRest() {
	for c.writing.queued.Load() > 0 && c.writing.lock.TryLock() {
		c.writeQueued()
		c.writing.lock.Unlock()
	}
}

// writeQueued writes the queued answers at once. The caller holds the lock.
func (c *conn) writeQueued() {
	w := &c.writing
	if w.queued.Load() == 0 {
		return
	}
	w.queueLock.Lock()
	calls := w.queue
	w.queue, w.spare = w.spare[:0], calls
	w.queued.Store(0)
	w.queueLock.Unlock()

	if c.path.Batches() {
		for _, call := range calls {
			w.all.Bufs = append(w.all.Bufs, call.out.Bufs...)
			w.all.Size += call.out.Size
		}
		c.write(&w.all)
		w.all.Reset()
	} else {
		for _, call := range calls {
			c.write(&call.out)
		}
	}
	for i, call := range calls {
		c.release(call)
		calls[i] = nil
	}
}

// write writes o in pieces whose progress the watchdog sees. The caller holds
// the lock.
func (c *conn) write(o *path.Output) {
	w := &c.writing
	limit := writeChunk
	if !c.path.Batches() {
		limit = path.SocketChunk
	}
	for rest := o.Bufs; len(rest) > 0 && !w.broken; {
		rest = o.Piece(rest, limit)
		c.totals.writes.Add(1)
		w.word.Add(1)
		var err error
		if len(o.Part) == 1 {
			_, err = c.nc.Write(o.Part[0])
		} else {
			part := o.Part
			_, err = o.Part.WriteTo(c.nc) // moves o.Part on
			o.Part = part
		}
		w.word.Add(1)
		if err != nil {
			w.broken = true
			c.cut()
		}
	}
}
