package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestCompareArguments(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		want string // in the output, or in the error
	}{
		"help":         {[]string{"-h"}, 0, "usage: benchrun compare"},
		"nothing":      {nil, 2, "takes A and B"},
		"one side":     {[]string{"HEAD"}, 2, "takes A and B"},
		"an empty one": {[]string{"HEAD", ""}, 2, "takes A and B"},
		"three sides":  {[]string{"HEAD", ".", "HEAD"}, 2, "takes A and B"},
		"flag":         {[]string{"-wrong", "HEAD", "."}, 2, "-wrong"},
		"threshold":    {[]string{"HEAD", ".", "-threshold", "0"}, 2, "threshold 0 is no percentage above 0"},
		"budget":       {[]string{"HEAD", "-budget", "0s", "."}, 2, "-budget 0s: want a positive duration"},
		"revision":     {[]string{"HEAD", "nosuch"}, 2, "nosuch is no revision here"},
		"files":        {[]string{"main.go", "compare.go"}, 2, "main.go is no revision here; `benchreport compare` compares runs and files"},
		"folder":       {[]string{"-C", "testdata", "HEAD", "."}, 2, "testdata"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code, err := compareRevisions(t.Context(), &out, &out, c.args)
			if err == nil {
				err = errors.New("")
			}
			if code != c.code || !strings.Contains(out.String()+err.Error(), c.want) {
				t.Errorf("code %d, want %d and %q in\n%s%v", code, c.code, c.want, &out, err)
			}
		})
	}
}

// shellCompare finds the commands of README.md that compare revisions of any module,
// and word the words of one.
var (
	shellCompare = regexp.MustCompile(`(?m)tool benchrun compare (-C .*?)( +#.*| \|\| .*)?$`)
	word         = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// module is a git repository with a package that has benchmarks. It has the
// revisions that README.md names.
func module(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	const benchmarks = "package pkg\n\nimport \"testing\"\n\nfunc BenchmarkParse(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n"
	for name, text := range map[string]string{"go.mod": "module example.test/yours\n\ngo 1.26\n", "pkg/pkg_test.go": benchmarks} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init --quiet --initial-branch=main", "add --all", "commit --quiet -m all", "tag v1.0.0", "update-ref refs/remotes/origin/main HEAD"} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, strings.Fields(args)...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}

// TestReadme gives the commands of README.md a module, and no time to measure.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	all := shellCompare.FindAllStringSubmatch(string(readme), -1)
	if len(all) < 5 {
		t.Errorf("README.md has %d commands that compare", len(all))
	}
	dir := t.TempDir()
	module(t, filepath.Join(dir, "yours"))
	if err := os.Mkdir(filepath.Join(dir, "hotpath"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "hotpath"))
	for _, m := range all {
		var args []string
		for _, w := range word.FindAllString(m[1], -1) {
			w = strings.Trim(w, `'"`)
			args = append(args, os.Expand(w, func(name string) string {
				return map[string]string{"PWD": filepath.Join(dir, "yours"), "GITHUB_BASE_REF": "main"}[name]
			}))
		}
		var out bytes.Buffer
		code, err := compareRevisions(t.Context(), &out, &out, append(args, "-budget", "1ns", "-chart", "charts"))
		if err != nil || code != 2 || !strings.Contains(out.String(), "cannot tell: the budget ended before its first heat") || !strings.HasSuffix(out.String(), "\nno chart: no heat counts\n") {
			t.Errorf("%q: code %d, %v\n%s", args, code, err, &out)
		}
	}
}
