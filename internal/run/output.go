package run

import (
	"bytes"
	"sync"

	"hotpath/internal/results"
)

// outputLimit bounds what is kept of a fork's output: enough for the result and
// the Unit lines.
const outputLimit = 1 << 18

// output keeps the end of what a fork wrote: standard output alone, which is
// searched for the result, and both streams as they came, whose last lines
// explain a failure. As a writer it is standard output.
type output struct {
	mu           sync.Mutex
	stdout, both bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	keep(&o.stdout, p)
	keep(&o.both, p)
	return len(p), nil
}

// errOutput is standard error.
type errOutput struct{ *output }

func (o errOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	keep(&o.both, p)
	return len(p), nil
}

func keep(b *bytes.Buffer, p []byte) {
	b.Write(p)
	if over := b.Len() - outputLimit; over > 0 {
		b.Next(over)
	}
}

// tail is the last words of both streams.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return results.LastWords(o.both.String())
}
