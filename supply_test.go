package hotpath_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// licences are those that a module which is linked into a program of this
// repository may have, by words of their text.
var licences = map[string]*regexp.Regexp{
	"Apache-2.0": regexp.MustCompile(`Apache License\s+Version 2\.0`),
	"MIT":        regexp.MustCompile(`Permission is hereby granted, free of charge`),
	"BSD":        regexp.MustCompile(`Redistribution and use in source and binary forms`),
	"ISC":        regexp.MustCompile(`Permission to use, copy, modify, and(/or)? distribute this software`),
	"MPL-2.0":    regexp.MustCompile(`Mozilla Public License,? [Vv]ersion 2\.0`),
	"CC-BY-4.0":  regexp.MustCompile(`Creative Commons Attribution 4\.0`),
	"OFL-1.1":    regexp.MustCompile(`SIL OPEN FONT LICENSE`),
	"FTL":        regexp.MustCompile(`FreeType (Project )?LICENSE`),
	"Unlicense":  regexp.MustCompile(`This is free and unencumbered software`),
}

// TestLicences looks at the licence of every module that any package or test here
// is linked with. One that is not recognised is an error: somebody has to read it.
func TestLicences(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-test", "-json=Module", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Dir string
				Main      bool
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		m := p.Module
		if m == nil || m.Main || m.Dir == "" || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		if licenceOf(m.Dir) == "" {
			t.Errorf("%s: no licence that is known to be allowed", m.Path)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d modules looked at: is the list of packages whole?", len(seen))
	}
}

func licenceOf(dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return ""
	}
	for _, file := range files {
		name := strings.ToUpper(filepath.Base(file))
		if !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for licence, words := range licences {
			if words.Match(text) {
				return licence
			}
		}
	}
	return ""
}

// TestReproducibleBuild builds a command from two copies of the tree: with
// -trimpath nothing of where it was built is in it.
func TestReproducibleBuild(t *testing.T) {
	var sums [][32]byte
	for range 2 {
		dir := t.TempDir()
		if out, err := exec.Command("git", "clone", "-q", ".", dir).CombinedOutput(); err != nil {
			t.Skipf("no copy of the repository: %v %s", err, out)
		}
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", "built", "./cmd/benchreport")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(filepath.Join(dir, "built"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(dir)) {
			t.Errorf("the program tells where it was built")
		}
		sums = append(sums, sha256.Sum256(data))
	}
	if sums[0] != sums[1] {
		t.Error("two copies of the tree give two programs")
	}
}

// TestModulesAreWhole asks go whether the modules in the cache are those that
// go.sum names.
func TestModulesAreWhole(t *testing.T) {
	if out, err := exec.Command("go", "mod", "verify").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
