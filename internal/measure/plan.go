package measure

import (
	"encoding/json"
	"io"
	"maps"
	"strings"
)

// cell is one line of the plan that a test binary prints when HOTPATH_PLAN=1.
type cell struct {
	Name    string            `json:"name"`
	Reading Reading           `json:"reading"`
	Threads int               `json:"threads"`
	Role    Role              `json:"role"`
	Env     map[string]string `json:"env,omitempty"`
	Seconds float64           `json:"seconds"`
	Startup float64           `json:"startup,omitempty"`
	Tier    Tier              `json:"tier"`
	Block   string            `json:"block"`
	Parks   bool              `json:"parks,omitempty"`
}

// writePlan prints a cell for each placement of each case.
func writePlan(w io.Writer, suites []Suite) error {
	enc := json.NewEncoder(w)
	for _, s := range suites {
		for _, c := range s.Cases {
			for _, p := range c.Runs {
				name := s.Benchmark + "/" + c.Name
				env := map[string]string{"HOTPATH_READING": string(p.Reading)}
				maps.Copy(env, c.Env)
				if err := enc.Encode(cell{
					Name:    name,
					Reading: p.Reading,
					Threads: c.Threads,
					Role:    c.Role,
					Env:     env,
					Seconds: c.Seconds,
					Startup: p.Startup,
					Tier:    p.Tier,
					Block:   block(name, p.Reading),
					Parks:   c.Parks,
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// block names the cells that differ from this one in the contestant alone.
func block(name string, r Reading) string {
	var kept []string
	for part := range strings.SplitSeq(name, "/") {
		if !strings.HasPrefix(part, "impl=") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/") + "@" + string(r)
}
