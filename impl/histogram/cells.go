package histogram

import "math"

// cells holds the counts and totals of several histograms, for one user at a time.
//
// A count is spread over three places, so that what is written often is small and
// stays in the CPU's caches: its low 8 bits are in one array for all cells, the next
// 16 in a page that exists once a cell of the page has counted to 256, and what is
// above in a map of the few cells that counted to 2^24.
type cells struct {
	geometry
	coding coding
	low    []uint8 // of cell c of histogram i at i*geometry.cells + c
	pages  []*[pageCells]uint16
	over   []map[int]int64 // by histogram and cell
	heads  []head
	fetch  bool // low is too large for a CPU's own caches

	// Between calls both are empty.
	hits  [chunkLen]int // what add is about to count, as indexes of low
	wraps []int         // whose low bits went back to 0
}

const (
	pageCells = 1024

	ownCaches = 256 << 10 // bytes, of today's servers at least
	fetchLen  = 64        // cells to ask for at once, more than a CPU waits for at a time
)

// head is what a histogram knows beside its cells.
type head struct {
	sum, min, max      int64
	negative, tooLarge int64
}

func newCells(g geometry, n int, c coding) cells {
	size := n * g.Cells
	heads := make([]head, n)
	for i := range heads {
		heads[i].min, heads[i].max = math.MaxInt64, -1
	}
	return cells{
		geometry: g,
		coding:   c,
		low:      make([]uint8, size),
		pages:    make([]*[pageCells]uint16, (size+pageCells-1)/pageCells),
		over:     make([]map[int]int64, n),
		heads:    heads,
		fetch:    fetches && size > ownCaches,
		wraps:    make([]int, 0, chunkLen),
	}
}

// add counts the updates of a chunk, or of a part of it, and leaves the carries to
// be added by carry. It does not allocate.
func (c *cells) add(words []uint64) {
	hits := 0
	for at := 0; at < len(words) && hits < len(c.hits); at++ {
		i, v, wide := c.coding.unpack(words[at])
		if wide {
			at++
			v = int64(words[at])
		}
		h := &c.heads[i]
		if v < 0 {
			h.negative++
			continue
		}
		cell := c.Cell(v)
		if cell >= c.geometry.Cells {
			h.tooLarge++
			continue
		}
		h.sum += v
		if v < h.min {
			h.min = v
		}
		if v > h.max {
			h.max = v
		}
		c.hits[hits] = i*c.geometry.Cells + cell
		hits++
		if c.fetch && hits%fetchLen == 0 {
			fetchCells(&c.low[0], c.hits[hits-fetchLen:hits])
		}
	}
	// In a loop of its own, which is so short that the CPU has many of its turns under
	// way at once and fetches as many cells together.
	low := c.low
	for _, at := range c.hits[:hits] {
		low[at]++
		if low[at] == 0 {
			c.wraps = append(c.wraps, at)
		}
	}
}

// carry adds to the upper bits what add left.
func (c *cells) carry() {
	for _, at := range c.wraps {
		page := c.pages[at/pageCells]
		if page == nil {
			page = new([pageCells]uint16)
			c.pages[at/pageCells] = page
		}
		page[at%pageCells]++
		if page[at%pageCells] == 0 {
			i, cell := at/c.geometry.Cells, at%c.geometry.Cells
			if c.over[i] == nil {
				c.over[i] = map[int]int64{}
			}
			c.over[i][cell] += 1 << 24
		}
	}
	c.wraps = c.wraps[:0]
}

// addTo adds histogram i to dst.
func (c *cells) addTo(dst *Snapshot, i int) {
	h := &c.heads[i]
	dst.Negative += h.negative
	dst.TooLarge += h.tooLarge
	if h.max < 0 {
		return
	}
	if dst.Count == 0 {
		dst.Min = h.min
	}
	dst.Sum, dst.Min, dst.Max = dst.Sum+h.sum, min(dst.Min, h.min), max(dst.Max, h.max)

	base := i * c.geometry.Cells
	first, end := c.Cell(h.min), c.Cell(h.max)+1
	counts := dst.Counts[first:end]
	for j, n := range c.low[base+first : base+end] {
		counts[j] += int64(n)
		dst.Count += int64(n)
	}
	for at, end := base+first, base+end; at < end; {
		next := min(at-at%pageCells+pageCells, end)
		if page := c.pages[at/pageCells]; page != nil {
			for ; at < next; at++ {
				n := int64(page[at%pageCells]) << 8
				dst.Counts[at-base] += n
				dst.Count += n
			}
		}
		at = next
	}
	for cell, n := range c.over[i] {
		dst.Counts[cell] += n
		dst.Count += n
	}
}
