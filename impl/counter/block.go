package counter

import (
	"runtime"
	"sync/atomic"
)

// block is one generation of a counter's words: a row of them for each P. A row
// starts on its own line, so Ps share none.
//
// When a P appears that has no row, a larger block is published in front of the
// older ones. Nothing is copied: a writer that holds on to an older block still
// counts, because readers add up all of them.
type block struct {
	words []word
	older *block
}

const lineWords = lineSize / 8

// grow publishes a block with a row of stride words for p, unless there is one.
func grow(head *atomic.Pointer[block], p, stride int) {
	b := head.Load()
	if b != nil && p*stride < len(b.words) {
		return
	}
	rows := max(p+1, runtime.GOMAXPROCS(0))
	head.CompareAndSwap(b, &block{make([]word, rows*stride), b})
}

// sum adds up the words at index at of all rows.
func (b *block) sum(at, stride int) int64 {
	var sum int64
	for ; b != nil; b = b.older {
		for i := at; i < len(b.words); i += stride {
			sum += b.words[i].load()
		}
	}
	return sum
}
