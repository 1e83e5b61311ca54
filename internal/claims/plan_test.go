package claims

import (
	"strings"
	"testing"

	"hotpath/internal/bench"
)

func name(impl string) bench.Name {
	return bench.NewName("BenchmarkX", bench.Param{Key: "impl", Value: impl}, bench.Param{Key: "mode", Value: "thrpt"})
}

func TestCheckPlan(t *testing.T) {
	var cells []bench.Cell
	for _, c := range []bench.Cell{
		{Name: name("a"), Reading: bench.One}, {Name: name("b"), Reading: bench.One}, {Name: name("a_again"), Reading: bench.One, Role: bench.Control},
		{Name: name("a"), Reading: bench.PerThread}, {Name: name("b"), Reading: bench.PerThread},
	} {
		c.Block = c.ID().Block()
		cells = append(cells, c)
	}
	other := cells[0].Block
	other.Reading = bench.NumCPU
	for _, tt := range []struct {
		name  string
		claim Claim
		want  string // in the error; empty for none
	}{
		{"fits", Claim{ID: "x", Kind: Less, Metric: bench.TimePerOp, Block: cells[0].Block, Baseline: "a", Candidate: "b"}, ""},
		{"an order", Claim{ID: "x", Kind: Order, Metric: bench.TimePerOp, Block: cells[0].Block, Order: []string{"a", "b", "c"}}, `"c"`},
		{"another block", Claim{ID: "x", Kind: Less, Metric: bench.TimePerOp, Block: other, Baseline: "a", Candidate: "b"}, "@numcpu"},
		{"no control", Claim{ID: "x", Kind: Less, Metric: bench.TimePerOp, Block: cells[3].Block, Baseline: "a", Candidate: "b"}, "@perthread, which has no control"},
		{"an unknown contestant", Claim{ID: "x", Kind: Less, Metric: bench.TimePerOp, Block: cells[0].Block, Baseline: "a", Candidate: "typo"}, `"typo"`},
		{"a metric of another mode", Claim{ID: "x", Kind: Less, Metric: bench.MeanLatency, Block: cells[0].Block, Baseline: "a", Candidate: "b"}, "mean-latency-ns"},
	} {
		err := (&File{Claims: []Claim{tt.claim}}).CheckPlan(cells)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
