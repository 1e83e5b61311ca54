package fleet

import (
	"strings"
	"syscall"
	"testing"
)

// A run that the disk has no room for leaves nothing that counts, and is whole once
// there is room.
func TestFullDisk(t *testing.T) {
	o, p := planned(t, 1)
	deliver(t, o, task{"k", 1}, "node", nil)
	if err := syscall.Mount("none", o.Results, "tmpfs", 0, "size=8k"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	mounted := true
	unmount := func() {
		if mounted {
			mounted = false
			if err := syscall.Unmount(o.Results, 0); err != nil {
				t.Error(err)
			}
		}
	}
	defer unmount()
	var out strings.Builder
	if _, err := survey(t.Context(), &out, o, p, idle{}); err == nil || !strings.Contains(err.Error(), "k 1: ") || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("%v\n%s", err, &out)
	}
	if len(runsOf(t, o.Results)) != 0 {
		t.Error("half of a run counts")
	}
	unmount()
	if s, out := look(t, o, p); s.whole != 1 || len(runsOf(t, o.Results)) != 1 {
		t.Errorf("with room: %s", out)
	}
}
