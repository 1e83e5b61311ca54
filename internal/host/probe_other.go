//go:build !linux

package host

import "hotpath/internal/bench"

// Prober sees nothing here: threads cannot be kept on a CPU.
type Prober struct{}

// NewProber starts nothing.
func NewProber() *Prober { return &Prober{} }

// Close ends nothing.
func (*Prober) Close() {}

// Probe sees nothing.
func (*Prober) Probe() bench.Probe { return bench.Probe{HandOff: unseen, Got: unseen} }

// ProcessCPU is not visible here.
func ProcessCPU(int) (float64, bool) { return 0, false }
