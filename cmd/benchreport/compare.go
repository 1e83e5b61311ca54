package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"hotpath/internal/compare"
)

// compareRuns is the compare command. Its code is to be the exit code of the
// process: 0 no regression, 1 a regression, 2 cannot tell or, with an error,
// cannot compare.
//
//	benchreport compare [-threshold 5] [-paired] [-mixed] A B
func compareRuns(w, wErr io.Writer, args []string) (code int, err error) {
	o := compare.Options{Input: os.Stdin}
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.Usage = func() {
		fmt.Fprintln(wErr, "usage: benchreport compare [flags] A B\nA and B are run folders, or files that go test -bench wrote (-v and -json too), - for standard input; A is the baseline.")
		flags.PrintDefaults()
	}
	threshold := flags.Float64("threshold", 5, "how many `percent` worse is a regression")
	flags.BoolVar(&o.Paired, "paired", false, "the k-th result of a benchmark in A was measured beside its k-th in B, as a script does that runs A, B, A, B")
	flags.BoolVar(&o.Mixed, "mixed", false, "compare results of different machines, Go versions or GOMAXPROCS, pool several commits within a side, and let B have new benchmarks")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0, nil
		}
		return int(compare.CannotTell), err
	}
	if flags.NArg() != 2 || flags.Arg(0) == "" || flags.Arg(1) == "" {
		return int(compare.CannotTell), errors.New("compare takes A and B, each a run folder or a benchmark file")
	}
	if !(*threshold >= 0) || math.IsInf(*threshold, 1) {
		return int(compare.CannotTell), fmt.Errorf("threshold %v is no percentage", *threshold)
	}
	o.Threshold = *threshold / 100
	verdict, err := compare.Report(w, flags.Arg(0), flags.Arg(1), o)
	return int(verdict), err
}
