package jvm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	got := Environment([]string{"PATH=/bin", "CLASSPATH=x", "JAVA_TOOL_OPTIONS=-Xint", "JDK_JAVA_OPTIONS=-Xint", "_JAVA_OPTIONS=-Xint", "JAVA_HOME=/jdk"})
	if want := []string{"PATH=/bin", "JAVA_HOME=/jdk"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCommand(t *testing.T) {
	c := Command("1g", "p.Main", "a", "b")
	if c[0] != "java" || c[1] != "-Xms1g" || c[2] != "-Xmx1g" || !slices.Equal(c[len(c)-3:], []string{"p.Main", "a", "b"}) {
		t.Errorf("%q", c)
	}
}

// What does not compile is an error that shows why, and not something that a machine
// lacks.
func TestCompileError(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "Broken.java")
	if err := os.WriteFile(source, []byte("final class Broken { int n = missing; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Compile(t.Context(), filepath.Join(dir, "out"), []string{source})
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(err.Error(), "cannot find symbol") {
		t.Errorf("%v", err)
	}
}

// The same sources make the same sum, and others another.
func TestSum(t *testing.T) {
	sums := map[string]bool{}
	for _, text := range []string{"1", "1", "2"} {
		source := filepath.Join(t.TempDir(), "A.java")
		if err := os.WriteFile(source, []byte("final class A { int n = "+text+"; }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		kit, err := Compile(t.Context(), t.TempDir(), []string{source})
		if errors.Is(err, ErrMissing) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		sums[kit.Sum] = true
	}
	if len(sums) != 2 {
		t.Errorf("%d sums of two programs", len(sums))
	}
}
