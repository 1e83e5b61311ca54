package path

// Source cuts a stream into frames. It is used by one goroutine at a time.
type Source interface {
	// Next returns the next frame without its length, a view that lives as long
	// as the frame that Current returns; nil: more must be read first. With an
	// error that stands for one frame alone, one that is too long or that there
	// is no room for, it returns the header that the frame begins with, and
	// skips the rest.
	Next() ([]byte, error)
	// Fill reads once. It ends the life of all views that are not retained.
	Fill() error
	// Pending is how many bytes of an unfinished frame are there, or are to be
	// skipped.
	Pending() int
	Current() *Frame
	// Costs returns what the source has read, copied and allocated since the
	// last call.
	Costs() Tally
	Close()
}
