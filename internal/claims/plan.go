package claims

import (
	"fmt"

	"hotpath/internal/bench"
)

// CheckPlan refuses claims that the cells of an experiment cannot decide: about a
// block that is not measured or has no control, about a contestant that takes no
// part in it, or about a metric that its mode does not give. It is for before a run.
func (f *File) CheckPlan(cells []bench.Cell) error {
	members := map[bench.Block]map[string]bool{}
	controlled := map[bench.Block]bool{}
	for _, c := range cells {
		if members[c.Block] == nil {
			members[c.Block] = map[string]bool{}
		}
		members[c.Block][c.Impl()] = true
		controlled[c.Block] = controlled[c.Block] || c.Role == bench.Control
	}
	for _, c := range f.Claims {
		in := members[c.Block]
		if in == nil {
			return fmt.Errorf("claim %q is about the block %s, which no benchmark has", c.ID, c.Block)
		}
		if !controlled[c.Block] {
			return fmt.Errorf("claim %q is about the block %s, which has no control: nothing would show that equals come out as equal", c.ID, c.Block)
		}
		for _, pair := range c.pairs() {
			for _, impl := range pair {
				if !in[impl] {
					return fmt.Errorf("claim %q is about the contestant %.60q, which takes no part in %s", c.ID, impl, c.Block)
				}
			}
		}
		if c.Metric == bench.MeanLatency && c.Block.Mode() != bench.Sample && c.Block.Mode() != bench.Open {
			return fmt.Errorf("claim %q is about %s, which mode %s does not give", c.ID, c.Metric, c.Block.Mode())
		}
	}
	return nil
}
