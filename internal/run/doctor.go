package run

import (
	"fmt"
	"io"
	"strings"

	"hotpath/internal/host"
)

// Doctor writes one line for each check of this machine: its level, what was
// found and what to do about it. The error names the checks that make the
// machine unfit to measure.
func Doctor(w io.Writer) error {
	var unfit []string
	for _, f := range host.Examine() {
		line := fmt.Sprintf("%-5s  %-22s  %-46s  %s", f.Level, f.Check, f.Value, f.Advice)
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
		if f.Level == host.Unfit {
			unfit = append(unfit, f.Check)
		}
	}
	if len(unfit) > 0 {
		return fmt.Errorf("this machine is not fit to measure now: %s", strings.Join(unfit, ", "))
	}
	_, err := fmt.Fprintln(w, "this machine is fit to measure")
	return err
}
