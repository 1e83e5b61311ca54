package explorer

import (
	"math"
	"slices"
	"strconv"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// format changes with the shape of the data, so that a page refuses the data of
// another one that it cannot read.
const format = 2

// runData is a run as the page's scripts read it. Units and contestants are told
// by their places in lists.
type runData struct {
	Format      int              `json:"format"`
	Name        string           `json:"name"`
	Facts       []bench.Fact     `json:"facts"`
	Method      methodData       `json:"method"`
	Units       []unitData       `json:"units"`
	Gates       []string         `json:"gates"`       // by the bit of a turn's code
	Percentiles []float64        `json:"percentiles"` // of tables
	Experiments []experimentData `json:"experiments"`
}

// methodData is the numbers that ratios are computed by.
type methodData struct {
	Level            float64 `json:"level"`
	MinGroup         int     `json:"minGroup"`
	ControlLevel     float64 `json:"controlLevel"`
	ControlHalfWidth float64 `json:"controlHalfWidth"`
	Near             float64 `json:"near"` // ns
	Far              float64 `json:"far"`  // ns
}

type unitData struct {
	Name     string `json:"name"`
	Words    string `json:"words"`
	Better   string `json:"better"`
	Quantity string `json:"quantity"`
	Lap      int    `json:"lap"` // unit of turns that ratios are paired by; -1 for a fork's
}

type experimentData struct {
	Name        string           `json:"name"`
	Contestants []contestantData `json:"contestants"`
	Blocks      []blockData      `json:"blocks"`
	Claimed     int              `json:"claimed"` // block that the claims are about; 0 without one
	Claims      []claimData      `json:"claims"`
}

// contestantData is what is said of a contestant.
type contestantData struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	About string `json:"about"`
	Holds string `json:"holds"`
}

// number has all its digits, so that the page rounds what the other pages round.
// One that is not finite is null.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// figure is an estimate, the bounds of its interval, both null without one, and how
// many heats stand behind it; negative where these do not count.
type figure [4]number

func figureOf(iv study.Interval, counts bool) *figure {
	if iv.N == 0 {
		return nil
	}
	f := figure{number(iv.Estimate), number(iv.Low), number(iv.High), number(iv.N)}
	if iv.Level == 0 {
		f[1], f[2] = number(math.NaN()), number(math.NaN())
	}
	if !counts {
		f[3] = -f[3]
	}
	return &f
}

// quantities are the names of what units count.
var quantities = map[bench.Quantity]string{
	bench.Number: "number", bench.Nanos: "nanos", bench.Seconds: "seconds", bench.Bytes: "bytes", bench.Share: "share",
}

// indexOf is a unit's place in the list of units.
func indexOf(u bench.Unit) int { return slices.Index(bench.Units(), u) }

func dataOf(run *study.Run) runData {
	m := run.Manifest
	d := runData{Format: format, Name: run.Name, Facts: facts(run), Percentiles: tabled, Method: methodData{
		Level: study.Method.Level, MinGroup: study.Method.MinGroup,
		ControlLevel: study.Method.ControlLevel, ControlHalfWidth: study.Method.ControlHalfWidth,
		Near: m.Gates.Near, Far: m.Gates.Far,
	}}
	for _, u := range bench.Units() {
		lap := -1
		if of, ok := study.PerLap(u); ok {
			lap = indexOf(of)
		}
		d.Units = append(d.Units, unitData{u.Name, u.Words, u.Better, quantities[u.Quantity], lap})
	}
	for _, g := range bench.Gates() {
		d.Gates = append(d.Gates, g.String())
	}
	for _, x := range run.Experiments {
		d.Experiments = append(d.Experiments, experimentOf(x, m.Gates))
	}
	return d
}

// facts are those of the run and its machine that its figures depend on.
func facts(run *study.Run) []bench.Fact {
	m := run.Manifest
	all := []bench.Fact{
		{Name: "measured", Value: m.Start.UTC().Format("2006-01-02 15:04 UTC")},
		{Name: "CPU", Value: m.Machine.CPU},
		{Name: "CPUs", Value: strconv.Itoa(m.Machine.CPUs)},
	}
	all = append(all, m.Machine.Facts...)
	for _, f := range m.Go {
		all = append(all, bench.Fact{Name: "Go " + f.Name, Value: f.Value})
	}
	revision := m.Revision
	if m.Dirty {
		revision += " and changes"
	}
	return append(all, bench.Fact{Name: "revision", Value: revision}, bench.Fact{Name: "budget", Value: m.Budget})
}

func experimentOf(x *study.Experiment, gates bench.Thresholds) experimentData {
	d := experimentData{Name: x.Name, Claims: claimsOf(x)}
	for i, b := range x.Blocks {
		if b == x.Claimed() {
			d.Claimed = i
		}
		of := newBlock(b)
		for _, r := range b.Rows {
			of.Rows = append(of.Rows, d.contestant(r))
		}
		of.heats(gates)
		of.units()
		of.curves()
		of.courses()
		d.Blocks = append(d.Blocks, of.blockData)
	}
	return d
}

// contestant is the place of what is said of a row's contestant.
func (d *experimentData) contestant(r *study.Row) int {
	c := contestantData{r.Impl(), string(r.Role), r.About, r.Holds}
	if i := slices.Index(d.Contestants, c); i >= 0 {
		return i
	}
	d.Contestants = append(d.Contestants, c)
	return len(d.Contestants) - 1
}
