package fleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loopback puts a program in the place of ssh that runs what it is told here, in a
// home for each host. A host whose home has a file down does not answer.
func loopback(t *testing.T) (homes string) {
	t.Helper()
	for _, p := range []string{"parallel", "rsync"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("no %s: apt-get install parallel rsync", p)
		}
	}
	homes = t.TempDir()
	bin := t.TempDir()
	script := `#!/bin/sh
user=
while [ "$1" = -o ] || [ "$1" = -l ]; do
	[ "$1" = -l ] && user=$2@
	shift 2
done
host=$user$1; shift
HOME=` + homes + `/$host; export HOME
[ -e "$HOME/down" ] && { echo "ssh: connect to host $host: no answer" >&2; exit 255; }
mkdir -p "$HOME" && cd "$HOME" && exec sh -c "$*"
`
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return homes
}

// TestHosts makes a run on each of two hosts, of which one does not answer at first.
func TestHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	homes := loopback(t)
	o := tiny(t)
	o.Hosts, o.Runs = []string{"one", "user@two"}, 1
	down := filepath.Join(homes, "user@two", "down")
	if err := os.MkdirAll(filepath.Dir(down), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(down, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Launch(t.Context(), &out, o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if s := out.String(); !strings.Contains(s, "1 of 2 runs are in") || !strings.Contains(s, "no answer") {
		t.Fatalf("with one host:\n%s", s)
	}
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	if s := status(t, o); !strings.Contains(s, "2 of 2 runs are in") {
		t.Fatalf("with both hosts:\n%s", s)
	}
	everyCell(t, runsOf(t, o.Results), 2)
	if made, _ := filepath.Glob(filepath.Join(homes, "*", ".hotpath-fleet-*", "runs", "*", "*", "*", "*", "manifest.json")); len(made) != 2 {
		t.Errorf("made %q, want two runs", made)
	}
}
