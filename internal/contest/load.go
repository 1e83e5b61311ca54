package contest

import (
	"math"
	"math/bits"
	"time"
)

// Updates is how many updates one operation of the multi-histogram experiment
// makes, each of a histogram picked at random.
const Updates = 10

// Load draws the updates of one worker: which histogram, and with which value.
//
// Values are latencies in nanoseconds, lognormal with a median of 1 ms and a
// sigma of 1: a table of equally likely values, each raised by up to a 64th at
// random, so that all buckets of a histogram are in use where most of the
// distribution lies, whatever the histogram's resolution. Drawing allocates
// nothing and reads the table alone, which stays in a core's first cache.
type Load struct {
	state uint64
	n     uint64
	_     [112]byte // another worker's load may be next
}

// NewLoad returns a load over n histograms. The same seed draws the same updates.
func NewLoad(seed uint64, n int) *Load {
	return &Load{state: seed * 0x9e3779b97f4a7c15, n: uint64(n)}
}

// loadValues is the size of the table of values, and loadJitter how many values
// are drawn from each of its entries. Both are powers of two.
const (
	loadValues = 4096
	loadJitter = 256
)

// Next draws one update: a histogram from 0 to n-1, and a value.
func (l *Load) Next() (histogram int, value int64) {
	l.state += 0xa0761d6478bd642f
	high, low := bits.Mul64(l.state, l.state^0xe7037ed1a0b428db)
	r := high ^ low
	base := int64(loadTable[r%loadValues])
	return int(r >> 32 * l.n >> 32), base + base*int64(r>>12%loadJitter)>>14
}

// Spread returns n values that divide the distribution into equal shares, in
// ascending order; n divides 4,096.
func Spread(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(loadTable[(2*i+1)*loadValues/(2*n)])
	}
	return values
}

// loadTable holds the quantiles of the distribution at the middles of as many
// equal shares.
var loadTable = func() (table [loadValues]uint32) {
	const median, sigma = float64(time.Millisecond), 1.0
	for i := range table {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/loadValues-1)
		table[i] = uint32(median * math.Exp(sigma*z))
	}
	return table
}()
