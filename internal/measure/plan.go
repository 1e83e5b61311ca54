package measure

import (
	"encoding/json"
	"io"
	"maps"

	"hotpath/internal/bench"
)

// writePlan prints a cell for each placement of each case.
func writePlan(w io.Writer, suites []Suite) error {
	enc := json.NewEncoder(w)
	for _, s := range suites {
		for _, c := range s.Cases {
			name, err := bench.ParseName(s.Benchmark + "/" + c.Name)
			if err != nil {
				return err
			}
			for _, p := range c.Runs {
				cell := bench.Cell{
					Name:    name,
					Reading: p.Reading,
					Threads: c.Threads,
					Role:    c.Role,
					Twin:    c.Twin,
					Rival:   c.Rival,
					About:   c.About,
					Holds:   c.Holds,
					Env:     map[string]string{bench.EnvReading: string(p.Reading)},
					Turn:    p.Turn,
					Laps:    p.Laps,
					Startup: p.Startup,
					Tier:    p.Tier,
					Parks:   c.Parks,
				}
				cell.Block = cell.ID().Block()
				maps.Copy(cell.Env, c.Env)
				if err := enc.Encode(cell); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
