package contest

import (
	"slices"
	"testing"

	"hotpath/impl/ipc"
)

// Every path of impl/ipc is measured, under its own name.
func TestPaths(t *testing.T) {
	for _, path := range ipc.Paths() {
		if !slices.Contains(Paths, Path{path.String(), path, true}) {
			t.Errorf("no row of %v measures it under its name, inline", path)
		}
	}
}
