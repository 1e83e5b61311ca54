package expvar

import (
	"net/http/httptest"
	"strings"
	"testing"

	"hotpath/impl/histogram"
)

// A label's value is escaped as the text format says and no further, and one that
// is no text costs its own histogram and no other.
func TestMetricsLabels(t *testing.T) {
	h := histogram.NewAtomic(histogram.Range{Lowest: 1, Highest: 1000, Digits: 2})
	h.Record(7)
	m := &Metrics{Name: "x", Label: "op", Unit: 1, Read: map[string]func(*histogram.Snapshot) *histogram.Snapshot{}}
	for _, label := range []string{"plain", "a\"b\\c\nd", "tab\tund Größe\u2028\x01", "bad\xff"} {
		m.Read[label] = h.Snapshot
	}
	page := httptest.NewRecorder()
	m.ServeHTTP(page, httptest.NewRequest("GET", "/", nil))
	text := page.Body.String()
	for _, want := range []string{`op="plain"`, `op="a\"b\\c\nd"`, "op=\"tab\tund Größe\u2028\x01\""} {
		if n := strings.Count(text, "{"+want+",quantile="); n != 4 {
			t.Errorf("%d quantiles with %s, want 4", n, want)
		}
	}
	if n := strings.Count(text, "x_count{"); n != 3 {
		t.Errorf("%d counts, want 3:\n%s", n, text)
	}
}

// A sum that wraps around is exposed as what it is.
func TestMetricsSum(t *testing.T) {
	s := &histogram.Snapshot{Range: histogram.Range{Lowest: 1, Highest: 1 << 40, Digits: 2}}
	h := histogram.NewAtomic(s.Range)
	h.Record(1 << 40)
	s = h.Snapshot(s)
	for i, n := range s.Counts {
		s.Counts[i] = n << 23
	}
	s.Count <<= 23
	s.Sum <<= 23
	m := &Metrics{Name: "x", Label: "op", Unit: 1, Read: map[string]func(*histogram.Snapshot) *histogram.Snapshot{
		"a": func(*histogram.Snapshot) *histogram.Snapshot { return s },
	}}
	page := httptest.NewRecorder()
	m.ServeHTTP(page, httptest.NewRequest("GET", "/", nil))
	if want := `x_sum{op="a"} 9.223372036854776e+18`; !strings.Contains(page.Body.String(), want) {
		t.Errorf("no %s in\n%s", want, page.Body)
	}
}
