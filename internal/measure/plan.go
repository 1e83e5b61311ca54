package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"

	"hotpath/internal/bench"
)

// checkNames refuses a case whose name is a level on the way to another's: for that
// one, the testing package would run both.
func checkNames(suites []Suite) error {
	names := map[string]bool{}
	for _, s := range suites {
		for _, c := range s.Cases {
			names[s.Benchmark+"/"+c.Name] = true
		}
	}
	for name := range names {
		for level := path.Dir(name); level != "."; level = path.Dir(level) {
			if names[level] {
				return fmt.Errorf("%s is a level of %s", level, name)
			}
		}
	}
	return nil
}

// writePlan prints a cell for each placement of each case.
func writePlan(w io.Writer, suites []Suite) error {
	if err := checkNames(suites); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	for _, s := range suites {
		for _, c := range s.Cases {
			name, err := bench.ParseName(s.Benchmark + "/" + c.Name)
			if err != nil {
				return err
			}
			for _, p := range c.Runs {
				cell := bench.Cell{
					Name:       name,
					Reading:    p.Reading,
					Threads:    c.Threads,
					Role:       c.Role,
					Twin:       c.Twin,
					Recreation: c.Recreation,
					Rival:      c.Rival,
					About:      c.About,
					Holds:      c.Holds,
					Env:        map[string]string{bench.EnvReading: string(p.Reading)},
					Command:    c.Command,
					Turn:       p.Turn,
					Laps:       p.Laps,
					Startup:    p.Startup,
					Tier:       p.Tier,
					Parks:      c.Parks,
				}
				cell.Block = cell.ID().Block()
				if lane := name.Lane(); lane != "" {
					cell.Env[bench.EnvLane] = lane
				}
				maps.Copy(cell.Env, c.Env)
				if err := enc.Encode(cell); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
