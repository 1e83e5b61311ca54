package counter_test

import (
	"fmt"
	"sync"
	"time"

	"hotpath/impl/counter"
)

// inTen runs f in ten goroutines and waits for them.
func inTen(f func()) {
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(f)
	}
	wg.Wait()
}

func ExampleAtomic() {
	var c counter.Atomic
	inTen(func() { c.Add(1) })
	fmt.Println(c.Value())
	// Output: 10
}

func ExampleAdaptive() {
	var c counter.Adaptive
	inTen(func() { c.Add(1) })
	fmt.Println(c.Value())
	// Output: 10
}

func ExamplePerP() {
	var c counter.PerP
	inTen(func() { c.Add(1) })
	fmt.Println(c.Value())
	// Output: 10
}

func ExampleHandle() {
	var c counter.PerP
	inTen(func() {
		h := c.Handle()
		defer h.Close()
		for range 100 {
			h.Add(1)
		}
	})
	fmt.Println(c.Value())
	// Output: 1000
}

// The buckets of a histogram of powers of two.
func ExampleGroup() {
	g := counter.NewGroup(8)
	inTen(func() {
		for _, size := range []int{1, 3, 3, 100} {
			bucket := 0
			for size > 1 {
				size /= 2
				bucket++
			}
			g.Add(bucket, 1)
		}
	})
	for i := range g.Len() {
		fmt.Print(g.Value(i), " ")
	}
	fmt.Println()
	// Output: 10 20 0 0 0 0 10 0
}

func ExampleInterval() {
	var c counter.PerP
	c.Add(5)
	sinceStart := counter.NewInterval(c.Value)
	requests := counter.NewInterval(c.Value)

	c.Add(100)
	delta, length := requests.Next()
	_ = float64(delta) / length.Seconds() // the rate
	fmt.Println(delta, length > 0*time.Second)

	c.Add(20)
	delta, _ = requests.Next()
	fmt.Println(delta, sinceStart.Value(), c.Value())
	// Output:
	// 100 true
	// 20 120 125
}
