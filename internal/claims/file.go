package claims

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hotpath/internal/bench"
)

// places in arrays are left out of errors: the line tells them better.
var places = regexp.MustCompile(`\[[0-9]+\]`)

// Load reads and checks a claims file.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse checks the contents of a claims file; name stands in its errors, which
// give the line and the field. It refuses what it does not know, what is
// missing, and what could never be reproduced.
func Parse(name string, data []byte) (*File, error) {
	f := new(File)
	if err := Decode(name, data, f); err != nil {
		return nil, err
	}
	at := locate(data)
	if err := check(f, at); err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %s", name, at.line(err.path), places.ReplaceAllString(err.path, ""), err.cause)
	}
	f.SHA256 = fmt.Sprintf("%x", sha256.Sum256(data))
	return f, nil
}

// Decode reads TOML into a struct and refuses fields that it does not have; name
// stands in its errors, which give the line and the field.
func Decode(name string, data []byte, into any) error {
	if err := decode(data, into); err != nil {
		return decodeError(name, data, into, err)
	}
	return nil
}

func decode(data []byte, into any) error {
	return toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into)
}

func decodeError(name string, data []byte, into any, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		e := unknown.Errors[0]
		line, _ := e.Position()
		return fmt.Errorf("%s:%d: %s: unknown field", name, line, strings.Join(e.Key(), "."))
	}
	var malformed *toml.DecodeError
	if errors.As(err, &malformed) {
		line, column := malformed.Position()
		where := fmt.Sprintf("%s:%d:%d", name, line, column)
		if key := strings.Join(malformed.Key(), "."); key != "" {
			where += ": " + key
		}
		return fmt.Errorf("%s: %s", where, strings.TrimPrefix(malformed.Error(), "toml: "))
	}
	return fmt.Errorf("%s:%d: %w", name, lineOf(data, into, err), err)
}

// lineOf is the line of an error that the library tells no position of, as that of a
// number in the place of a text: the last one of the shortest beginning of the
// document that gives the error. What is read comes in the document's order.
func lineOf(data []byte, into any, err error) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return min(len(lines), 1+sort.Search(len(lines), func(n int) bool {
		fresh := reflect.New(reflect.TypeOf(into).Elem()).Interface()
		got := decode(bytes.Join(lines[:n+1], nil), fresh)
		return got != nil && got.Error() == err.Error()
	}))
}

// fieldError is what is wrong with the field at a path.
type fieldError struct {
	path  string
	cause string
}

// fieldsOf lists the fields that a kind of claim has beside those of every
// claim. All but the tolerance must be given.
var fieldsOf = map[Kind][]string{
	Ratio:   {"baseline", "candidate", "published", "tolerance"},
	Range:   {"baseline", "candidate", "low", "high"},
	AtLeast: {"baseline", "candidate", "published"},
	Less:    {"baseline", "candidate"},
	Order:   {"order"},
}

var fieldsOfSome = []string{"baseline", "candidate", "published", "low", "high", "tolerance", "order"}

func check(f *File, at positions) *fieldError {
	for _, p := range at {
		if p.path != strings.ToLower(p.path) {
			return &fieldError{p.path, "unknown field"}
		}
	}
	if len(f.Claims) == 0 {
		return &fieldError{"claim", "missing: there is nothing to judge"}
	}
	lines := map[string]int{}
	for i := range f.Claims {
		c, path := &f.Claims[i], fmt.Sprintf("claim[%d]", i)
		if err := checkClaim(c, path, at); err != nil {
			return err
		}
		if line, ok := lines[c.ID]; ok {
			return &fieldError{path + ".id", fmt.Sprintf("%q is the claim of line %d already", c.ID, line)}
		}
		lines[c.ID] = at.line(path + ".id")
	}
	for i, u := range f.Unjudged {
		if err := checkTexts(fmt.Sprintf("unjudged[%d]", i), at, "text", u.Text, "source", u.Source, "reason", u.Reason); err != nil {
			return err
		}
	}
	for i := range f.Published {
		if err := checkPublished(&f.Published[i], fmt.Sprintf("published[%d]", i), at); err != nil {
			return err
		}
	}
	return nil
}

func checkClaim(c *Claim, path string, at positions) *fieldError {
	fields, ok := fieldsOf[c.Kind]
	if !ok {
		return wrong(path, "kind", "%q is none of ratio, range, at-least, less, order", c.Kind)
	}
	for _, field := range fieldsOfSome {
		switch given := at.has(path + "." + field); {
		case given && !slices.Contains(fields, field):
			return wrong(path, field, "means nothing for the kind %q", c.Kind)
		case !given && slices.Contains(fields, field) && field != "tolerance":
			return wrong(path, field, "missing, and the kind %q needs it", c.Kind)
		}
	}
	if err := checkTexts(path, at, "id", c.ID, "text", c.Text, "source", c.Source, "metric", c.Metric.Name, "block", c.Block.String()); err != nil {
		return err
	}
	if at.has(path+".lane") && !bench.IsWord(c.Lane) {
		return wrong(path, "lane", "%q: letters, digits, - and _ only", c.Lane)
	}
	if err := checkContestants(c, path, at); err != nil {
		return err
	}
	return checkNumbers(c, path, at)
}

// wrong is what is wrong with a field of a claim.
func wrong(path, field, format string, args ...any) *fieldError {
	return &fieldError{path + "." + field, fmt.Sprintf(format, args...)}
}

func checkContestants(c *Claim, path string, at positions) *fieldError {
	if c.Kind != Order {
		if err := checkTexts(path, at, "baseline", c.Baseline, "candidate", c.Candidate); err != nil {
			return err
		}
		if c.Baseline == c.Candidate {
			return wrong(path, "candidate", "is the baseline")
		}
		return nil
	}
	if len(c.Order) < 2 {
		return wrong(path, "order", "takes two contestants or more")
	}
	for i, name := range c.Order {
		if name == "" || slices.Contains(c.Order[:i], name) {
			return wrong(path, "order", "%q is empty or stands there twice", name)
		}
		if len(name) > longest("order") {
			return wrong(path, "order", "%.40q is %d bytes, at most %d can be shown", name, len(name), longest("order"))
		}
	}
	return nil
}

func checkNumbers(c *Claim, path string, at positions) *fieldError {
	const orient = "must be a number above 1: orient the claim so that the candidate is the one said to need less"
	switch {
	case (c.Kind == Ratio || c.Kind == AtLeast) && !above1(c.Published):
		return wrong(path, "published", orient)
	case c.Kind == Range && !above1(c.Low):
		return wrong(path, "low", orient)
	case c.Kind == Range && (!(c.Low < c.High) || math.IsInf(c.High, 1)):
		return wrong(path, "high", "must be a number above low")
	case at.has(path+".tolerance") && !above1(c.Tolerance):
		return wrong(path, "tolerance", "must be a number above 1: the band is published / tolerance to published x tolerance")
	case at.has(path+".smallest") && !(c.Smallest >= 1 && !math.IsInf(c.Smallest, 1)):
		return wrong(path, "smallest", "must be a number of at least 1")
	case c.Needs.CPUs < 0:
		return wrong(path, "needs.cpus", "must not be negative")
	}
	if most := max(c.Published, c.High); most > 0 && c.smallest() >= most {
		return wrong(path, "smallest", "%.4g leaves nothing of a published %.4g to reproduce", c.smallest(), most)
	}
	return nil
}

func above1(v float64) bool { return v > 1 && !math.IsInf(v, 1) }

func checkPublished(p *Published, path string, at positions) *fieldError {
	if err := checkTexts(path, at, "name", p.Name, "impl", p.Impl, "block", p.Block.String(), "mode", string(p.Mode), "units", p.Units); err != nil {
		return err
	}
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	if !positive(p.Score) {
		return &fieldError{path + ".score", "must be a positive number"}
	}
	if p.Count < 0 {
		return &fieldError{path + ".count", "must not be negative"}
	}
	if p.Error != 0 && !positive(p.Error) {
		return &fieldError{path + ".error", "must be a number, and not negative"}
	}
	sum := 0.0
	for i, t := range p.Times {
		for _, f := range []struct {
			name    string
			seconds float64
		}{{"real", t.Real}, {"user", t.User}, {"sys", t.Sys}} {
			if !positive(f.seconds) {
				return &fieldError{fmt.Sprintf("%s.times[%d].%s", path, i, f.name), "must be a positive number"}
			}
		}
		sum += t.Real
	}
	if mean := sum / float64(len(p.Times)); len(p.Times) > 0 && math.Abs(p.Score/mean-1) > 0.001 {
		return &fieldError{path + ".score", fmt.Sprintf("must be the mean of the real times, %.3f", mean)}
	}
	for i, q := range p.Percentiles {
		switch {
		case !(q.Percentile >= 0 && q.Percentile <= 100) || i > 0 && q.Percentile <= p.Percentiles[i-1].Percentile:
			return &fieldError{fmt.Sprintf("%s.percentiles[%d].p", path, i), "must be from 0 to 100, each above the one before"}
		case !positive(q.Value) || i > 0 && q.Value < p.Percentiles[i-1].Value:
			return &fieldError{fmt.Sprintf("%s.percentiles[%d].v", path, i), "must be a positive number, and none below the one before"}
		}
	}
	return nil
}

// longest is the most bytes of a field: sentences and names are laid out in tables
// and charts.
func longest(field string) int {
	switch field {
	case "text", "source", "reason":
		return 1000
	}
	return 200
}

// checkTexts takes pairs of a field's name and its text, which must be given.
func checkTexts(path string, at positions, namesAndTexts ...string) *fieldError {
	for pair := range slices.Chunk(namesAndTexts, 2) {
		name, text := pair[0], pair[1]
		field := path + "." + name
		switch {
		case !at.has(field):
			return &fieldError{field, "missing"}
		case strings.TrimSpace(text) == "":
			return &fieldError{field, "is empty"}
		case len(text) > longest(name):
			return &fieldError{field, fmt.Sprintf("%d bytes, at most %d can be shown", len(text), longest(name))}
		}
	}
	return nil
}
