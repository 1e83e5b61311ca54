// Benchreport turns a run below results/ into REPORT.md, report/ and plots/. It
// measures nothing.
//
//	benchreport [-run name] [-o dir]    write the report of a run
//	benchreport -verify [-o dir]        is the report what the results give?
//	benchreport -reproduce [-o dir]     write the report of the newest run, and compare its
//	                                    verdicts with those of the run that was shown before
//	benchreport compare A B             is B slower than A? Runs, or files of go test -bench
//
// The exit code is 0 when all is well, and 1 on an error. That of compare is 0
// when nothing is slower, 1 when something is, and 2 when it cannot tell.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"hotpath/internal/report"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "compare" {
		code, err := compareRuns(os.Stdout, os.Stderr, os.Args[2:])
		if err != nil {
			fmt.Fprintf(os.Stderr, "benchreport: %v\n", err)
		}
		os.Exit(code)
	}
	if err := benchreport(os.Stdout, os.Stderr, os.Args[1:]); err != nil && err != flag.ErrHelp {
		fmt.Fprintf(os.Stderr, "benchreport: %v\n", err)
		os.Exit(1)
	}
}

func benchreport(w, wErr io.Writer, args []string) error {
	var o report.Options
	var verify, reproduce bool
	flags := flag.NewFlagSet("benchreport", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.StringVar(&o.Run, "run", "", "name of the run; the newest when empty")
	flags.StringVar(&o.Results, "results", "results", "folder of the runs")
	flags.StringVar(&o.Experiments, "experiments", "experiments", "folder of the experiments' packages")
	flags.StringVar(&o.Dir, "o", ".", "folder of REPORT.md, report/ and plots/")
	flags.BoolVar(&verify, "verify", false, "check the runs, and compare the report with what they give")
	flags.BoolVar(&reproduce, "reproduce", false, "compare the verdicts of the newest run with those of the report as it is")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if verify {
		if err := report.Verify(o); err != nil {
			return err
		}
		fmt.Fprintln(w, "the runs are whole, and REPORT.md, report/ and plots/ are what they give")
		return nil
	}
	return write(w, o, reproduce)
}

// write writes a report, and to reproduce compares its verdicts with those of the
// report that was there.
func write(w io.Writer, o report.Options, reproduce bool) error {
	before := ""
	var err error
	if reproduce {
		if before, err = report.Shown(o.Dir); err != nil {
			return err
		}
	}
	r, err := report.Build(o)
	if err != nil {
		return err
	}
	if err := r.Write(o); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d files written: REPORT.md, report/ and plots/\n", len(r.Files))
	if !reproduce {
		return nil
	}
	now, err := report.Shown(o.Dir)
	if err != nil {
		return err
	}
	agreement, err := report.Agreement(o, before, now)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s", agreement)
	return nil
}
