package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"hotpath/internal/compare"
	"hotpath/internal/revisions"
)

// compareRevisions is the compare command. Its code is to be the exit code of the
// process: 0 nothing is slower, 1 something is, 2 cannot tell or, with an error,
// cannot compare.
//
//	benchrun compare [-experiment name] [-only pattern] [-budget 2m] [-threshold 2] [-chart dir] A B
//	benchrun compare -C dir -bench pattern A B
func compareRevisions(ctx context.Context, w, wErr io.Writer, args []string) (code int, err error) {
	var o revisions.Options
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.Usage = func() {
		fmt.Fprintln(wErr, "usage: benchrun compare [flags] A B\nA and B are git revisions, or . for the work tree as it is; A is the baseline.")
		flags.PrintDefaults()
	}
	flags.StringVar(&o.Dir, "C", ".", "`folder` of the repository, or with -bench of a package in one")
	flags.StringVar(&o.Bench, "bench", "", "compare the package's benchmarks that match the `pattern`, instead of experiments")
	flags.StringVar(&o.Experiment, "experiment", "", "compare this experiment only")
	flags.StringVar(&o.Only, "only", "", "compare the contestants that match the regular `expression`, such as 'impl=perp/.*threads=1@'")
	flags.DurationVar(&o.Budget, "budget", 2*time.Minute, "time to spend on measuring; the first building comes on top")
	flags.StringVar(&o.Chart, "chart", "", "draw a chart into the `folder` too, for light pages and for dark ones")
	threshold := flags.Float64("threshold", 2, "how many `percent` of difference are none")
	var sides []string
	for rest := args; ; rest = rest[1:] { // flags may stand behind A and B
		if err := flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
			return 0, nil
		} else if err != nil {
			return int(compare.CannotTell), err
		}
		if rest = flags.Args(); len(rest) == 0 {
			break
		}
		sides = append(sides, rest[0])
	}
	switch {
	case len(sides) != 2 || sides[0] == "" || sides[1] == "":
		err = errors.New("compare takes A and B, each a git revision, or . for the work tree")
	case !(*threshold > 0) || math.IsInf(*threshold, 1):
		err = fmt.Errorf("threshold %v is no percentage above 0", *threshold)
	case o.Budget <= 0:
		err = fmt.Errorf("-budget %v: want a positive duration such as 2m", o.Budget)
	}
	if err != nil {
		return int(compare.CannotTell), err
	}
	o.Threshold = *threshold / 100
	verdict, err := revisions.Compare(ctx, w, wErr, sides[0], sides[1], o)
	return int(verdict), notRevisions(err, sides)
}

// notRevisions tells who names files where to turn to.
func notRevisions(err error, sides []string) error {
	for _, s := range sides {
		if _, statErr := os.Stat(s); err != nil && s != "." && statErr == nil {
			return fmt.Errorf("%w; `benchreport compare` compares runs and files", err)
		}
	}
	return err
}
