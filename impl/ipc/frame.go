package ipc

import "hotpath/impl/ipc/internal/path"

// Frame is a block of memory that several users share by a count of
// references. The last Release gives it back to a pool, and from then on every
// view into it may show other bytes.
//
// Built with the tag ipcdebug, a released frame is made inaccessible instead, so
// that a late read or write faults where it happens.
type Frame path.Frame

// Retain adds a reference.
func (f *Frame) Retain() { (*path.Frame)(f).Retain() }

// Release gives one reference back. A release more than there were references
// panics; where the frame already serves another connection only the build tag
// ipcdebug can tell.
func (f *Frame) Release() { (*path.Frame)(f).Release() }
