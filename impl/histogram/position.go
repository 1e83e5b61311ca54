//go:build !(gc && amd64) || race || portable

package histogram

import "sync/atomic"

// position is a number with one writer; who reads it also sees all that the
// writer wrote before.
type position struct {
	n atomic.Uint64
}

func (p *position) load() int   { return int(p.n.Load()) }
func (p *position) store(n int) { p.n.Store(uint64(n)) }
