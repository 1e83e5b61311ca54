package contest

import (
	"slices"
	"testing"

	"hotpath/impl/ipc/steps"
)

// Every path of impl/ipc is measured, under its own name.
func TestPaths(t *testing.T) {
	for _, path := range steps.Paths() {
		if !slices.ContainsFunc(Paths, func(p Path) bool { return p.Name == path.String() && p.Path == path && p.Inline }) {
			t.Errorf("no row of %v measures it under its name, inline", path)
		}
	}
}
