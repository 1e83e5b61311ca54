package bench

import (
	"math"
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Significant(9.996), "10.0"},
		{Significant(0.09996), "0.100"},
		{Significant(123456), "123000"},
		{Significant(0), "0"},
		{Significant(123456789), "1.23e+08"},
		{Significant(0.000012345), "1.23e-05"},
		{Short(100000), "100000"},
		{Short(1e9), "1e+09"},
		{Short(0.30000000000000004), "0.3"},
		{Full(1234567.8, 4), "1,234,568"},
		{Full(0.0012345, 4), "0.001234"},
		{Full(12.5, 4), "12.50"},
		{Full(-1234.5, 4), "-1,234"},
		{Full(0, 4), "0"},
		{Full(1e-12, 4), "0.000000000"},
		{Exact(45903.487), "45,903.487"},
		{Count(1000), "1,000"},
		{Count(999), "999"},
		{Decimal(1.50, 2), "1.5"},
		{Decimal(100, 0), "100"},
		{Ratio(math.Inf(1)), "∞"},
		{Ratio(123.4), "123"},
		{Ratio(12.34), "12.3"},
		{Ratio(1.234), "1.23"},
		{Ratio(0.05), "0.050"},
		{Percent(0.12345, 3), "12.3 %"},
		{Percent(0.05, 4), "5 %"},
		{Nanos.Print(0.2134), "0.213 ns"},
		{Nanos.Print(999.4), "999 ns"},
		{Nanos.Print(999.6), "1.00 µs"},
		{Nanos.Print(31424512), "31.4 ms"},
		{Nanos.Tick(1e5), "100 µs"},
		{Seconds.Print(1.5), "1.50 s"},
		{Seconds.Tick(0.0025), "2.5 ms"},
		{Number.Print(999), "999"},
		{Number.Print(999.5), "1.00k"},
		{Number.Print(80e6), "80.0M"},
		{Bytes.Print(24), "24 B"},
		{Bytes.Print(10240), "10.2 kB"},
		{Bytes.Tick(2e6), "2 MB"},
		{Share.Print(0.0123), "1.23 %"},
		{Share.Tick(0.5), "50 %"},
		{Plural(1, "fork"), "1 fork"},
		{Plural(0, "fork"), "0 forks"},
		{List(nil), ""},
		{List([]string{"a"}), "a"},
		{List([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if got := strings.ReplaceAll(c.got, NBSP, " "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string][2]string{
		"BenchmarkAdd/mode=thrpt/threads=1@one": {"Add, 1 thread, GOMAXPROCS one", "Add/threads=1, one"},
		"BenchmarkEcho/mode=open/procs=2/conns=1/depth=8/cells=10/size=10240/gogc=100/rate=4000/new=x@numcpu": {
			"Echo, 2 processes, 1 connection, 8 in flight each, 10 cells, 10240 B each, GOGC 100, 4000 operations/s, new=x, GOMAXPROCS numcpu",
			"Echo/procs=2/conns=1/depth=8/cells=10/size=10240/gogc=100/rate=4000/new=x, numcpu"},
		"BenchmarkX@perthread": {"X, GOMAXPROCS perthread", "X, perthread"},
	} {
		b, err := ParseBlock(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(b.Describe(), NBSP, " "); got != want[0] {
			t.Errorf("%s: %q, want %q", name, got, want[0])
		}
		if got := b.Short("mode"); got != want[1] {
			t.Errorf("%s: %q, want %q", name, got, want[1])
		}
	}
}
