package histogram

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
)

// WriteHGRM writes the distribution of the recorded values by percentile in the
// text format of HdrHistogram for Java (outputPercentileDistribution), which its
// plotter and other tools read as .hgrm files: the same columns, 12 digits of
// percentile, and the same bytes that Java writes for a histogram of this range
// that recorded the same values. Like there, values, Max, mean and deviation are
// those of cells: a row has the highest value of its cell, Max that of the last
// one, and the mean takes values to be in the middle of their cells.
//
// Rows get closer towards 100 %: each half of the distance that is left has the
// given number of ticks (Java's default is 5). Values are divided by unit, so 1e6
// prints nanoseconds as milliseconds, and have as many decimals as Range has
// Digits.
//
// It panics if ticks or unit is not positive.
func (s *Snapshot) WriteHGRM(w io.Writer, ticks int, unit float64) error {
	if ticks < 1 || !(unit > 0) {
		panic("histogram: WriteHGRM needs a positive number of ticks and a positive unit")
	}
	b := bufio.NewWriter(w) // keeps the first error for Flush
	g := s.geometry()
	digits := g.Digits
	fmt.Fprintf(b, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")

	level := 0.0 // percentile of the next row
	var seen, top int64
	for c := range s.Cells() {
		seen += c.Count
		top = c.High
		value := javaFixed(float64(c.High)/unit, digits)
		// Past 100 there are more values than a float64 has percentiles.
		for level < 100 && 100*float64(seen)/float64(s.Count) >= level {
			part := level / 100
			fmt.Fprintf(b, "%12s %s %10d %14s\n", value, javaFixed(part, 12), seen, javaFixed(1/(1-part), 2))
			level += nextTick(level, ticks)
			if seen == s.Count {
				break
			}
		}
		if seen == s.Count {
			fmt.Fprintf(b, "%12s %s %10d\n", value, javaFixed(1, 12), seen)
		}
	}

	mean, deviation := s.moments()
	if s.Max == 0 {
		top = 0 // here, not in the rows, Java knows that no value filled the first cell
	}
	fmt.Fprintf(b, "#[Mean    = %12s, StdDeviation   = %12s]\n", javaFixed(mean/unit, digits), javaFixed(deviation/unit, digits))
	fmt.Fprintf(b, "#[Max     = %12s, Total count    = %12d]\n", javaFixed(float64(top)/unit, digits), s.Count)
	fmt.Fprintf(b, "#[Buckets = %12d, SubBuckets     = %12d]\n", g.Cells>>g.Half-1, 2<<g.Half)
	return b.Flush()
}

// nextTick returns how far it is from a percentile to the next row's: the distance
// from 0 is cut into twice as many parts in each half of what is left to 100.
func nextTick(level float64, ticks int) float64 {
	halvings := int64(math.Log(100/(100-level))/math.Log(2)) + 1
	return 100 / math.Ldexp(float64(ticks), int(halvings))
}

// moments returns mean and standard deviation of the values as cells tell them.
// The conversions keep products from being fused with the additions on CPUs that
// can, where the last digit would differ.
func (s *Snapshot) moments() (mean, deviation float64) {
	if s.Count == 0 {
		return 0, 0
	}
	for c := range s.Cells() {
		mean += float64(float64(c.middle()) * float64(c.Count))
	}
	mean /= float64(s.Count)
	for c := range s.Cells() {
		d := float64(c.middle()) - mean
		deviation += float64(float64(d*d) * float64(c.Count))
	}
	return mean, math.Sqrt(deviation / float64(s.Count))
}

// javaFixed formats x with so many decimals as Java does: it rounds the shortest
// decimal form of x, halves away from zero, where Go rounds the binary value.
func javaFixed(x float64, decimals int) string {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r.FloatString(decimals)
}
