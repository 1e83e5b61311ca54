package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"hotpath/internal/study"
)

// Measured is what a run measured of a comparison of a claim, at the level that its
// verdict was reached at. Where the CPUs were near each other, and where they were far
// apart, is told where enough heats were so; the Level of others is 0.
type Measured struct {
	Baseline, Candidate string
	All, Near, Far      study.Interval
}

func measuredOf(v study.Verdict) []Measured {
	var all []Measured
	for _, c := range v.Comparisons {
		all = append(all, Measured{c.Baseline, c.Candidate, c.Measured.Interval, c.Near, c.Far})
	}
	return all
}

// MarshalJSON writes a list.
func (m Measured) MarshalJSON() ([]byte, error) {
	list := []any{m.Baseline, m.Candidate}
	for _, iv := range []study.Interval{m.All, m.Near, m.Far} {
		if iv.Level == 0 {
			iv.Low, iv.High = 0, 0
		}
		list = append(list, []any{rounded(iv.Estimate), rounded(iv.Low), rounded(iv.High), iv.N, rounded(iv.Level)})
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Measured) UnmarshalJSON(data []byte) error {
	var ivs [3]json.RawMessage
	if err := members(data, &m.Baseline, &m.Candidate, &ivs[0], &ivs[1], &ivs[2]); err != nil {
		return err
	}
	for i, iv := range []*study.Interval{&m.All, &m.Near, &m.Far} {
		if err := members(ivs[i], &iv.Estimate, &iv.Low, &iv.High, &iv.N, &iv.Level); err != nil {
			return err
		}
	}
	return nil
}

func (m Measured) check() error {
	for _, iv := range []study.Interval{m.All, m.Near, m.Far} {
		for _, v := range []float64{iv.Estimate, iv.Low, iv.High} {
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("%s / %s: %v", m.Baseline, m.Candidate, v)
			}
		}
		if iv.Low > iv.High || iv.N < 0 || !(iv.Level >= 0 && iv.Level <= 1) || iv.Level > 0 && iv.Low == 0 {
			return fmt.Errorf("%s / %s: [%v, %v] of %d heats at %v", m.Baseline, m.Candidate, iv.Low, iv.High, iv.N, iv.Level)
		}
	}
	return nil
}

// Runs has a summary of the run that is shown and of each other finished run below the
// results but quick looks, the oldest first: the one that is kept, where run and claims
// are still those that it is of, and else one that is made of them. With anew none is
// taken that is kept. What looks like a run and cannot be read as one is told in odd.
func Runs(a study.Archive, shown *study.Run, anew bool) (all []*Summary, odd []error, err error) {
	names, odd, err := a.Names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		s, err := (*Summary)(nil), error(nil)
		switch {
		case name == shown.Name:
			s, err = rounding(shown)
		case !anew:
			s, err = kept(a, name)
		}
		if s == nil && err == nil {
			s, err = made(a, name)
		}
		if err != nil {
			odd = append(odd, err)
		} else if s != nil {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *Summary) int { return a.Start.Compare(b.Start) })
	return all, odd, nil
}

// made makes the summary of a run; nil of a quick look.
func made(a study.Archive, name string) (*Summary, error) {
	run, err := a.Load(name)
	if err != nil || run.Manifest.Quick {
		return nil, err
	}
	return rounding(run)
}

// rounding sums up a run with the digits of a summary that is kept, so that it does not
// matter which of the two a report is made of.
func rounding(run *study.Run) (*Summary, error) {
	data, err := Of(run).encoded()
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// kept is the summary of a run, if there is one that is still of its data and claims.
func kept(a study.Archive, name string) (*Summary, error) {
	data, err := os.ReadFile(filepath.Join(a.Results, Folder, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := parse(data)
	if err != nil || s.Schema != schema {
		return nil, nil // it is made anew
	}
	sum, err := a.Stamp(name)
	if err != nil || sum != s.Manifest {
		return nil, err
	}
	for _, e := range s.Experiments {
		claims, err := a.ClaimsSum(e.Name)
		if err != nil || claims != e.Claims {
			return nil, err
		}
	}
	return s, nil
}
