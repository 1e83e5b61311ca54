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
//	$ the test that must fail
//
// Everything happens in a copy of the committed tree. The exit code is 1 where a
// bug survives, or could not be planted.
package main

import (
	"bytes"
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed *.txt
var lists embed.FS

// limit is how long a test may take to fail: one that hangs has not caught its
// bug.
const limit = 2 * time.Minute

// mutant is a bug to plant.
type mutant struct {
	file, old, new, test string
}

func main() {
	only := flag.String("only", "", "plant those alone whose file or test has this word")
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
	caught, survived := 0, 0
	for _, m := range all {
		if !strings.Contains(m.file+" "+m.test, only) {
			continue
		}
		what, err := m.try(dir)
		if err != nil {
			return err
		}
		if what == "caught" {
			caught++
		} else {
			survived++
		}
		fmt.Printf("%-9s %s: %.60q\n", what, m.file, strings.TrimSpace(m.new))
	}
	fmt.Printf("%d caught, %d not\n", caught, survived)
	if survived > 0 {
		return fmt.Errorf("%d bugs were caught by nothing", survived)
	}
	return nil
}

// try plants the bug, runs its test, and takes the bug back.
func (m mutant) try(dir string) (string, error) {
	file := filepath.Join(dir, m.file)
	intact, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(intact, []byte(m.old)); n != 1 {
		return fmt.Sprintf("stale(%d)", n), nil
	}
	if err := os.WriteFile(file, bytes.Replace(intact, []byte(m.old), []byte(m.new), 1), 0o666); err != nil {
		return "", err
	}
	defer os.WriteFile(file, intact, 0o666)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "./"+filepath.ToSlash(filepath.Dir(m.file)))
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return "broken", fmt.Errorf("%s: the bug does not build: %s", m.file, out)
	}
	test := exec.CommandContext(ctx, "sh", "-c", m.test)
	test.Dir = dir
	err = test.Run()
	switch {
	case ctx.Err() != nil:
		return "hung", nil
	case err == nil:
		return "SURVIVED", nil
	}
	return "caught", nil
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
			all = append(all, mutant{strings.TrimSpace(file), old, strings.TrimPrefix(changed, "\n"), strings.TrimSpace(test)})
		}
	}
	return all, nil
}
