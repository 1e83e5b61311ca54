// Mutants plants bugs, one at a time, and shows that a test fails for each. A bug
// that no test catches says more about the tests than all that pass.
//
//	go run ./internal/mutants [-only word]
//
// The bugs are in the .txt files beside this one, each as
//
//	== file
//	--- old
//	lines that stand there once
//	+++ new
//	lines that take their place
//	$ what go test must fail with, after flags that all have
//
// Everything happens in a copy of the committed tree, in which each test passes
// before its first bug is planted. The exit code is 1 where a bug survives, could not
// be planted, or is caught by nothing but a test that hangs.
package main

import (
	"bytes"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed *.txt
var lists embed.FS

// limit is how long a test may take to fail: one that hangs has not caught its
// bug. The few that build much, or take a heat, say in their list that they may take
// more.
const limit = "30s"

// mutant is a bug to plant.
type mutant struct {
	list, file, old, new string
	test                 string // arguments of go test
}

func main() {
	only := flag.String("only", "", "plant those alone whose list, file or test has this word")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(1)
	}
}

func run(only string) error {
	all, err := read()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("git", "clone", "-q", ".", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	begun, caught, survived, passed := time.Now(), 0, 0, map[string]bool{}
	for _, m := range all {
		if !strings.Contains(m.list+" "+m.file+" "+m.test, only) {
			continue
		}
		if !passed[m.test] {
			if how, by := goTest(dir, m.test); how != "SURVIVED" {
				return fmt.Errorf("go test %s fails without a bug: %s %s", m.test, how, by)
			}
			passed[m.test] = true
		}
		at := time.Now()
		how, by, err := m.try(dir)
		if err != nil {
			return err
		}
		if how == "caught" {
			caught++
		} else {
			survived++
		}
		fmt.Printf("%-8s %4.1f s  %s: %.60q %s\n", how, time.Since(at).Seconds(), m.file, strings.TrimSpace(m.new), by)
	}
	fmt.Printf("%d caught, %d not, in %s\n", caught, survived, time.Since(begun).Round(time.Second))
	if survived > 0 {
		return fmt.Errorf("%d bugs were caught by nothing", survived)
	}
	return nil
}

// try plants the bug, runs its test, and takes the bug back. It tells what became
// of the bug, and which test said so.
func (m mutant) try(dir string) (how, by string, err error) {
	file := filepath.Join(dir, m.file)
	intact, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	if n := bytes.Count(intact, []byte(m.old)); n != 1 {
		return "stale", fmt.Sprintf("there %d times", n), nil
	}
	if err := os.WriteFile(file, bytes.Replace(intact, []byte(m.old), []byte(m.new), 1), 0o666); err != nil {
		return "", "", err
	}
	how, by = goTest(dir, m.test)
	return how, by, os.WriteFile(file, intact, 0o666)
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*|fatal error: .*|WARNING: DATA RACE)`)

// goTest runs a test, and tells what its end says of a bug.
func goTest(dir, test string) (how, by string) {
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-vet=off", "-failfast", "-timeout", limit}, strings.Fields(test)...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return "untested", "no such test"
	case err == nil:
		return "SURVIVED", ""
	case bytes.Contains(out, []byte("panic: test timed out")):
		return "hung", ""
	}
	if found := failure.FindSubmatch(out); found != nil {
		return "caught", string(append(found[1], found[2]...))
	}
	return "broken", string(out)
}

// read takes the lists apart.
func read() ([]mutant, error) {
	names, err := fs.Glob(lists, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range names {
		text, err := lists.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, entry := range strings.Split("\n"+string(text), "\n== ")[1:] {
			file, rest, ok1 := strings.Cut(entry, "\n--- old\n")
			old, rest, ok2 := strings.Cut(rest, "\n+++ new\n")
			changed, test, ok3 := strings.Cut("\n"+rest, "\n$ ")
			if !ok1 || !ok2 || !ok3 {
				return nil, fmt.Errorf("%s: %.40q is no mutant", name, entry)
			}
			all = append(all, mutant{name, strings.TrimSpace(file), old, strings.TrimPrefix(changed, "\n"), strings.TrimSpace(test)})
		}
	}
	return all, nil
}
