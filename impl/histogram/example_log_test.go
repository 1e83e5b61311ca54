package histogram_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"hotpath/impl/histogram"
)

var milliseconds = histogram.Range{Lowest: 1000, Highest: int64(time.Hour), Digits: 3}

// A log of two series, written interval by interval and read again.
func ExampleLogWriter() {
	const reads, writes = 0, 1
	set := histogram.NewSet(milliseconds, 2)
	start := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

	var file bytes.Buffer
	w := histogram.NewLogWriter(&file)
	w.Start = start
	for second := range 2 {
		begin := start.Add(time.Duration(second) * time.Second)
		for id, tag := range []string{reads: "read", writes: "write"} {
			set.Record(id, int64(id+second+1)*1_000_000)
			e := &histogram.LogEntry{Tag: tag, Start: begin, End: begin.Add(time.Second), Snapshot: set.Snapshot(id, nil)}
			if err := w.Write(e); err != nil {
				log.Fatal(err)
			}
		}
	}

	r := histogram.NewLogReader(&file)
	for {
		e, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Start.Format(time.TimeOnly), e.Tag, e.Snapshot.Count, time.Duration(e.Snapshot.Max))
	}
	// Output:
	// 15:04:05 read 1 1ms
	// 15:04:05 write 1 2ms
	// 15:04:06 read 2 2ms
	// 15:04:06 write 2 3ms
}

// Only the intervals that begin in a certain minute.
func ExampleLogReader() {
	file, err := os.Open("testdata/java.hlog")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	r := histogram.NewLogReader(file)
	r.From = time.Date(2015, 9, 9, 15, 24, 41, 0, time.UTC)
	r.To = r.From.Add(time.Minute)
	for {
		e, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %q %d values, median %v\n", e.Start, e.Tag, e.Snapshot.Count, time.Duration(e.Snapshot.Quantile(0.5)))
	}
	// Output:
	// 2015-09-09 15:24:41.476 +0000 UTC "" 20 values, median 4.648959ms
	// 2015-09-09 15:24:42.477 +0000 UTC "A" 30 values, median 2.490367ms
}

// Nanoseconds, printed as milliseconds.
func ExampleSnapshot_WriteHGRM() {
	h := histogram.NewAtomic(milliseconds)
	for ms := range int64(100) {
		h.Record((ms + 1) * 1_000_000)
	}
	if err := h.Snapshot(nil).WriteHGRM(os.Stdout, 1, 1e6); err != nil {
		log.Fatal(err)
	}
	// Output:
	//        Value     Percentile TotalCount 1/(1-Percentile)
	//
	//        1.000 0.000000000000          1           1.00
	//       50.004 0.500000000000         50           2.00
	//       75.039 0.750000000000         75           4.00
	//       88.015 0.875000000000         88           8.00
	//       94.044 0.937500000000         94          16.00
	//       97.059 0.968750000000         97          32.00
	//       99.025 0.984375000000         99          64.00
	//      100.008 0.992187500000        100         128.00
	//      100.008 1.000000000000        100
	// #[Mean    =       50.499, StdDeviation   =       28.866]
	// #[Max     =      100.008, Total count    =          100]
	// #[Buckets =           23, SubBuckets     =         2048]
}

func ExampleSnapshot_Export() {
	h := histogram.NewAtomic(milliseconds)
	h.Record(20_000_000)
	h.Record(40_000_000)
	hdr := h.Snapshot(nil).Export() // for what hdrhistogram-go can do besides
	fmt.Println(hdr.TotalCount(), "values, deviation", time.Duration(hdr.StdDev()).Round(time.Millisecond))
	// Output: 2 values, deviation 10ms
}
