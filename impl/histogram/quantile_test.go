package histogram

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// exactRank is ceil(q*n) without rounding, at least 1, of the q that is written
// with the fewest digits: 0.07 of 100 values are 7.
func exactRank(q *big.Rat, n int) int {
	r := new(big.Rat).Mul(q, new(big.Rat).SetInt64(int64(n)))
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return max(int(up.Div(up, r.Denom()).Int64()), 1)
}

// A quantile is the value of its rank among the sorted values, or above it by less
// than the resolution of the range, and never above the largest one.
func TestQuantileAgainstSorted(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 7))
		r := Range{1 + rng.Int64N(1000), 0, 1 + rng.IntN(3)}
		r.Highest = max(2*r.Lowest, math.MaxInt64>>rng.IntN(40))
		values := make([]int64, 1+rng.IntN(300))
		if seed%4 == 0 {
			values = make([]int64, 100) // of these, each percentile has a rank of its own
		}
		spread := rng.IntN(40)
		for i := range values {
			values[i] = r.Highest >> (rng.IntN(spread + 1)) // equal ones too
			values[i] -= rng.Int64N(values[i]/3 + 1)
		}
		s := recorded(r, values...)
		slices.Sort(values)
		if s.Min != values[0] || s.Max != values[len(values)-1] {
			t.Fatalf("seed %d: min %d, max %d of values from %d to %d", seed, s.Min, s.Max, values[0], values[len(values)-1])
		}
		for permille := 0; permille <= 1000; permille += 1 + rng.IntN(40) {
			q := big.NewRat(int64(permille), 1000)
			want := values[exactRank(q, len(values))-1]
			part, _ := q.Float64()
			got := s.Quantile(part)
			resolution := max(r.Lowest, int64(float64(want)/math.Pow10(r.Digits)))
			if got < want || got-want >= resolution || got > s.Max {
				t.Fatalf("seed %d, %+v: quantile %g of %d values is %d, want %d", seed, r, part, len(values), got, want)
			}
		}
	}
}
