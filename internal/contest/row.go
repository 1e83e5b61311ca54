package contest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hotpath/internal/bench"
)

// Row is what is said of a contestant of any experiment, beside how it is
// measured.
type Row struct {
	Name string     // value of /impl= in benchmark names
	Role bench.Role // why it takes part
	// About says what it is, in one sentence for somebody who meets its name for
	// the first time.
	About string
	// Holds is what whoever calls it must have in hand for the cost that is
	// measured, such as a view of its own; empty where a reference is enough.
	Holds string
	// Parks says that its workers sleep while they wait, so that they cannot keep
	// the CPUs busy.
	Parks bool
	// Rival says that it is the peer to beat, which is measured beside every part
	// of a large block. An experiment has one.
	Rival bool
	// Again names the published row that a control is a second time.
	Again string
}

// Original is a published contestant in the language that it was published in, or a
// second time as the control of its lane, or the floor of its language.
type Original struct {
	Row
	Recreation string // the row that re-creates it; empty of a control
	Class      string // Java class whose main method speaks the lines of a fork
	Heap       string // size of the JVM's heap, such as 256m
}

// Judged reports whether claims are decided on the row's cells, or their bounds.
func (r Row) Judged() bool {
	return r.Role == bench.Floor || r.Role == bench.Published || r.Role == bench.Control
}

// CheckRows returns what is wrong with the rows of one experiment, its peers
// included.
func CheckRows(rows []Row) error {
	var errs []error
	byName := map[string]Row{}
	for _, r := range rows {
		if _, twice := byName[r.Name]; twice {
			errs = append(errs, fmt.Errorf("two rows are named %q", r.Name))
		}
		byName[r.Name] = r
	}
	for _, r := range rows {
		errs = append(errs, r.check(byName))
	}
	for what, is := range map[string]func(Row) bool{
		"the floor":   func(r Row) bool { return r.Role == bench.Floor },
		"the control": func(r Row) bool { return r.Role == bench.Control },
		"the rival":   func(r Row) bool { return r.Rival },
	} {
		n := 0
		for _, r := range rows {
			if is(r) {
				n++
			}
		}
		if n != 1 {
			errs = append(errs, fmt.Errorf("%d rows are %s, want 1", n, what))
		}
	}
	return errors.Join(errs...)
}

func (r Row) check(all map[string]Row) error {
	switch {
	case !rowName.MatchString(r.Name):
		return fmt.Errorf("%q is no name of lower-case letters, digits and _", r.Name)
	case !slices.Contains(bench.Roles, r.Role):
		return fmt.Errorf("%s: %q is no role", r.Name, r.Role)
	case !strings.HasSuffix(r.About, ".") || strings.Contains(r.About, "\n"):
		return fmt.Errorf("%s: About is no sentence: %q", r.Name, r.About)
	case r.Rival && r.Role != bench.Peer:
		return fmt.Errorf("%s: the rival is a peer, not %s", r.Name, r.Role)
	case (r.Role == bench.Control) != (r.Again != ""):
		return fmt.Errorf("%s: %s, and again %q", r.Name, r.Role, r.Again)
	case r.Again != "" && all[r.Again].Role != bench.Published:
		return fmt.Errorf("%s: again %q, which is no published row", r.Name, r.Again)
	}
	return nil
}

var rowName = regexp.MustCompile(`^[a-z0-9][a-z0-9_]*$`)
