package run

import (
	"context"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/host"
	"hotpath/internal/results"
)

// Conductor holds heats on this machine. It is for one goroutine.
type Conductor struct {
	gates    bench.Thresholds
	cpus     int    // of the machine
	memory   int64  // bytes that the forks of a heat may hold together
	scratch  string // folder for what forks write
	prober   *host.Prober
	observer *host.Observer
}

// NewConductor is a conductor for the machine as it is, with the default gates,
// whose heats may hold half of the memory that is free. Forks write their files
// into the folder scratch. Close ends what it has started.
func NewConductor(scratch string) *Conductor {
	return newConductor(bench.DefaultThresholds, host.Fingerprint().CPUs, host.FreeMemory()/2, scratch)
}

func newConductor(gates bench.Thresholds, cpus int, memory int64, scratch string) *Conductor {
	return &Conductor{gates, cpus, memory, scratch, host.NewProber(), host.NewObserver()}
}

// Close ends the threads that probe.
func (c *Conductor) Close() { c.prober.Close() }

// Contestant is what a fork of a heat holds.
type Contestant struct {
	Cell   bench.Cell
	Dir    string   // that the fork runs in
	Binary string   // of the cell's program; not used by a cell that has a command
	Env    []string // of the fork, beside the runner's
}

// Hold holds a heat of contestants that take the laps of the first of them. A fork
// that goes wrong is failed in the record and no error of Hold, which is that of a
// machine that cannot start a process, or of the context.
//
// The forks of the record are in the order of the contestants and have the numbers
// from first on; a contestant that did not fit into the memory beside those ahead of
// it has none. Where in a run the heat belongs is for the caller to fill in.
func (c *Conductor) Hold(ctx context.Context, first int, contestants []Contestant) (results.Record, error) {
	return c.hold(ctx, first, &heat{Conductor: c, contestants: contestants})
}

func (c *Conductor) hold(ctx context.Context, first int, h *heat) (results.Record, error) {
	defer h.disperse()
	started := time.Now()
	if err := h.gather(ctx, first); err != nil {
		return results.Record{}, err
	}
	if err := h.run(ctx); err != nil {
		return results.Record{}, err
	}
	rec, err := h.end(ctx)
	rec.Heat.Start, rec.Heat.Seconds = started.UTC(), time.Since(started).Seconds()
	return rec, err
}
