package published_test

import (
	"fmt"
	"sync"

	"hotpath/impl/counter/published"
)

// inTen runs f in ten goroutines and waits for them.
func inTen(f func()) {
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(f)
	}
	wg.Wait()
}

func ExampleHBase() {
	var c published.HBase
	inTen(func() { c.Add(1) })
	fmt.Println(c.Value())
	c.Set(3)
	fmt.Println(c.Value(), "in", c.Cells(), "cell")
	// Output:
	// 10
	// 3 in 1 cell
}

func ExampleHBaseLocal() {
	var c published.HBase
	inTen(func() {
		local := c.Local()
		for range 100 {
			local.Add(1)
		}
	})
	fmt.Println(c.Value())
	// Output: 1000
}

func ExampleAdder() {
	var c published.Adder
	inTen(func() { c.Add(1) })
	fmt.Println(c.Value())
	// Output: 10
}

func ExampleAdderLocal() {
	var c published.Adder
	inTen(func() {
		local := c.Local()
		for range 100 {
			local.Add(1)
		}
	})
	fmt.Println(c.Value())
	// Output: 1000
}
