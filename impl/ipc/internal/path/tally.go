package path

// Tally counts, in one goroutine, what is folded into a server's Stats.
type Tally struct {
	Calls, Exceptions, Panics, Copied, Allocated, Reads int64
}

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Calls += o.Calls
	t.Exceptions += o.Exceptions
	t.Panics += o.Panics
	t.Copied += o.Copied
	t.Allocated += o.Allocated
	t.Reads += o.Reads
}
