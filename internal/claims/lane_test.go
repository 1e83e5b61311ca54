package claims

import (
	"reflect"
	"testing"

	"hotpath/internal/bench"
)

func TestInLane(t *testing.T) {
	from, to := mustBlock(t, "BenchmarkAdd/mode=sample/threads=32@perthread"), mustBlock(t, "BenchmarkAdd/lane=jvm/mode=sample/threads=32@perthread")
	elsewhere := mustBlock(t, "BenchmarkAdd/mode=sample/threads=2@perthread")
	claim := func(id string, block bench.Block, baseline, candidate string) Claim {
		return Claim{ID: id, Kind: Ratio, Block: block, Baseline: baseline, Candidate: candidate, Published: 24, Needs: Needs{CPUs: 16}}
	}
	f := &File{SHA256: "sum", Claims: []Claim{
		claim("one", from, "a", "b"),
		claim("without", from, "a", "d"),
		claim("elsewhere", elsewhere, "a", "b"),
		{ID: "order", Kind: Order, Block: from, Order: []string{"a", "b", "c"}},
		{ID: "order without", Kind: Order, Block: from, Order: []string{"a", "d"}},
	}, Published: []Published{{Impl: "a", Block: from, Score: 3}, {Impl: "d", Block: from}, {Impl: "b", Block: elsewhere}}}
	before := *f
	before.Claims = append([]Claim(nil), f.Claims...)
	before.Claims[3].Order = []string{"a", "b", "c"}
	names := map[string]string{"a": "jvm_a", "b": "jvm_b", "c": "jvm_c"}
	in := f.InLane(bench.JVM, from, to, func(impl string) (string, bool) { name, ok := names[impl]; return name, ok })
	one := claim("one", to, "jvm_a", "jvm_b")
	one.Lane = bench.JVM
	want := &File{SHA256: "sum", Claims: []Claim{
		one, {ID: "order", Lane: bench.JVM, Kind: Order, Block: to, Order: []string{"jvm_a", "jvm_b", "jvm_c"}},
	}, Published: []Published{{Impl: "jvm_a", Block: to, Score: 3}}}
	if !reflect.DeepEqual(in, want) {
		t.Errorf("%+v\nwant\n%+v", in, want)
	}
	if !reflect.DeepEqual(f, &before) {
		t.Errorf("the claims on file have become %+v", f)
	}
	if got := in.Comparisons(bench.JVM); got != 3 {
		t.Errorf("%d comparisons in the lane, want 3", got)
	}
}

func mustBlock(t *testing.T, s string) bench.Block {
	t.Helper()
	b, err := bench.ParseBlock(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
