// Benchrun measures: it builds the benchmark package of each experiment, holds
// heats in which the contestants of a block measure by turns, and writes the run
// to a folder below results/.
//
//	benchrun [-budget 30m] [-experiment name] [-quick] [-plan] [-jvm] [-results dir] [-experiments dir]
//	benchrun -doctor
//	benchrun fleet              make runs on the nodes of a cluster, or on hosts over ssh
//	benchrun compare A B        did a change make it slower? Two revisions, in the same heats
//
// The heats are what fits most of the budget, computed from the plan alone and
// printed before the first one; the rest of the budget is for laps that a noisy
// machine spoils. A run that was interrupted, by Ctrl-C or by a crash, goes on
// when the same command is given again. The exit code is 0 when every fork gave
// its result, 1 when one did not or on an error, and 130 after an interrupt. That of
// compare is 0 when nothing is slower, 1 when something is, and 2 when it cannot tell
// or on an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/run"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "compare" {
		code, err := compareRevisions(ctx, os.Stdout, os.Stderr, os.Args[2:])
		switch {
		case errors.Is(err, context.Canceled):
			fmt.Fprintln(os.Stderr, "\nbenchrun: interrupted")
			code = 130
		case err != nil:
			fmt.Fprintf(os.Stderr, "benchrun: %v\n", err)
		}
		os.Exit(code)
	}
	command, args := benchrun, os.Args[1:]
	if len(args) > 0 && args[0] == "fleet" {
		command, args = measureFleet, args[1:]
	}
	err := command(ctx, os.Stdout, os.Stderr, args)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "\nbenchrun: interrupted; the same command goes on from here")
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "benchrun: %v\n", err)
		os.Exit(1)
	}
}

func benchrun(ctx context.Context, w, wErr io.Writer, args []string) error {
	var o run.Options
	var fit bool
	flags := flag.NewFlagSet("benchrun", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.DurationVar(&o.Budget, "budget", 30*time.Minute, "time to spend on measuring; building comes on top")
	flags.StringVar(&o.Experiment, "experiment", "", "measure this experiment only")
	flags.BoolVar(&o.Quick, "quick", false, "a look: heats of the judged blocks alone")
	flags.StringVar(&o.Results, "results", "results", "folder that runs are written to")
	flags.StringVar(&o.Experiments, "experiments", "experiments", "folder of the experiments' packages")
	flags.BoolVar(&o.JVM, "jvm", false, "measure the published contestants on a JVM too, which takes minutes more")
	flags.BoolVar(&o.PlanOnly, "plan", false, "print what the budget buys, and measure nothing")
	flags.BoolVar(&fit, "doctor", false, "check whether this machine is fit to measure, and measure nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if fit {
		return run.Doctor(w)
	}
	if o.Budget <= 0 {
		return fmt.Errorf("-budget %v: want a positive duration such as 30m", o.Budget)
	}
	o.Check = checkClaims
	return run.Measure(ctx, w, o)
}

// checkClaims refuses an experiment whose claims its benchmarks cannot decide.
func checkClaims(dir string, cells []bench.Cell) error {
	file := filepath.Join(dir, "claims.toml")
	f, err := claims.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.CheckPlan(cells); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
