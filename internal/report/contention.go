package report

import (
	"fmt"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/contention"
)

// model is an experiment's band of contention, drawn.
type model struct {
	*contention.Band
	Chart chart.Chart
}

// modelOf is nil where the experiment has no such model, or the run does not tell
// enough for it.
func (o Options) modelOf(s *section, cpus int) (*model, error) {
	f, err := contention.Load(o.Experiments, s.Name)
	if err != nil {
		return nil, err
	}
	b := f.Of(s.Experiment, cpus)
	if b == nil {
		return nil, nil
	}
	return &model{b, chart.Contention(s.Name, b)}, nil
}

// Figures says what the band is made of.
func (m *model) Figures() string {
	quartiles := func(r contention.Range, print func(float64) string) string {
		return print(r.Middle) + " (" + print(r.Low) + " to " + print(r.High) + ")"
	}
	return fmt.Sprintf("From this run: an add that nobody contends for takes %s; one of all threads together, on %s, %s; the line's way from CPU to CPU %s; so a run on the line is %s adds long. In brackets the quartiles over %s laps.",
		bench.Nanos.Print(m.Alone), bench.Plural(m.CPUs, "CPU"), quartiles(m.Shared, bench.Nanos.Print), quartiles(m.Way, bench.Nanos.Print),
		quartiles(m.Run, bench.Significant), bench.Count(int64(m.Laps)))
}

// Failure says where the band is wrong on this machine.
func (m *model) Failure() string {
	return fmt.Sprintf("On this machine itself, at %s, the upper edge is %s times what was measured: runs are longer than one add. Where CPUs come in clusters the line is many times as long on its way between them, and the band is too low.",
		bench.Plural(m.CPUs, "thread"), bench.Ratio(m.Overshoot()))
}

// Table has a row for each published table.
func (m *model) Table() *table {
	t := &table{Head: []string{"", "machine", "threads", "ns of each thread", "the model says", "within the band", "source"}, Left: 2, Words: 2}
	for i, c := range m.Checks {
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		least, _ := m.Each(float64(first.Threads))
		_, most := m.Each(float64(last.Threads))
		machine := escape(c.Machine)
		if c.Note != "" {
			machine += " (" + escape(c.Note) + ")"
		}
		t.add(contention.Letter(i), machine, fromTo(fmt.Sprint(first.Threads), fmt.Sprint(last.Threads)),
			fromTo(bench.Significant(first.Each), bench.Significant(last.Each)), fromTo(bench.Significant(least), bench.Significant(most)), fits(c), escape(c.Source))
	}
	return t
}

func fromTo(a, b string) string {
	if a == b {
		return a
	}
	return a + " to " + b
}

// fits says whether a table is in the band, and by what factor it is not.
func fits(c contention.Check) string {
	n, worst := c.Inside(), c.Worst()
	if n == len(c.Points) {
		return "inside"
	}
	side, off := "above", worst.Off
	if off < 1 {
		side, off = "below", 1/off
	}
	most := ""
	if len(c.Points) > 1 {
		most = "up to "
	}
	where := fmt.Sprintf("%s it by %s%s×", side, most, bench.Ratio(off))
	if n > 0 {
		where += fmt.Sprintf(", at %s; %d of %d inside", bench.Plural(worst.Threads, "thread"), n, len(c.Points))
	}
	return where
}
