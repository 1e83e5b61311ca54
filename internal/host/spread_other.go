//go:build !linux

package host

// Spread does nothing here: threads cannot be moved.
type Spread struct{}

// NewSpread does nothing.
func NewSpread(int) *Spread { return &Spread{} }

// Clear does nothing.
func (*Spread) Clear() {}

// Take does nothing.
func (*Spread) Take() {}
