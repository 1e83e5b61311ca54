//go:build gc && amd64 && !race && !portable

package histogram

import "sync/atomic"

// position is a number with one writer; who reads it also sees all that the
// writer wrote before. The memory model asks for an atomic store, which on amd64
// also waits for all earlier stores to reach the cache, for the price of several
// updates. Other CPUs see plain stores in their order there.
type position struct {
	n uint64
}

func (p *position) load() int   { return int(atomic.LoadUint64(&p.n)) }
func (p *position) store(n int) { p.n = uint64(n) }
