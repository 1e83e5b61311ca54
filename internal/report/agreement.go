package report

import (
	"fmt"
	"os"

	"hotpath/internal/results"
)

// Agreement sets the verdicts on the same claims side by side for two runs, as
// a Markdown table, and counts those that agree. Each run is judged by itself.
func Agreement(o Options, a, b string) (string, error) {
	root, err := os.OpenRoot(o.Results)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var runs []*results.Run
	for _, name := range []string{a, b} {
		run, err := results.Load(root, name)
		if err != nil {
			return "", err
		}
		runs = append(runs, run)
	}
	var xs []*experiment
	for _, e := range runs[1].Experiments {
		s, err := loadStudy(o.Experiments, e.Name)
		if err != nil {
			return "", err
		}
		xs = append(xs, &experiment{Experiment: e, study: s})
	}
	t := matrix(runs, xs)
	agree := 0
	for _, row := range t.Rows {
		if row[1] == row[2] {
			agree++
		}
	}
	return fmt.Sprintf("%s\n%d of %s agree.\n", t, agree, plural(len(t.Rows), "claim")), nil
}
