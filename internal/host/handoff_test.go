package host

import (
	"runtime"
	"testing"
)

func TestHandOff(t *testing.T) {
	before := tree("/").allowed()
	got := HandOff()
	if after := tree("/").allowed(); len(after) != len(before) {
		t.Errorf("%d CPUs are allowed after it, %d were", len(after), len(before))
	}
	switch {
	case got == unseen && (len(before) < 2 || runtime.GOOS != "linux"):
		t.Skip("not visible here")
	case !(got > 1 && got < 1e6):
		t.Errorf("a line takes %v ns from one CPU to another", got)
	}
}
