package revisions

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository is a git repository with the fixture in its first commit.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/fixture")); err != nil {
		t.Fatal(err)
	}
	do(t, dir, "init", "--quiet")
	commit(t, dir, "first")
	return dir
}

func do(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// commit commits all files under a tag.
func commit(t *testing.T, dir, tag string) {
	t.Helper()
	do(t, dir, "add", "--all")
	do(t, dir, "commit", "--quiet", "--allow-empty", "-m", tag)
	do(t, dir, "tag", tag)
}

// edit replaces text in a file of the repository.
func edit(t *testing.T, dir, name, old, replacement string) {
	t.Helper()
	file := filepath.Join(dir, name)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(data), old, replacement)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// state is all that is in a folder, git's own files included.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files[path] = fmt.Sprint(info.Mode(), info.ModTime())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[path] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// untouched checks that the repository is as it was.
func untouched(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := state(t, dir)
	for path := range after {
		if before[path] != after[path] {
			t.Errorf("%s was touched: %s, was %s", path, after[path], before[path])
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			t.Errorf("%s is gone", path)
		}
	}
}

// A revision comes as it was committed, and the work tree as it is, with what was
// edited, added and deleted, and without what git ignores. The repository stays as it
// is.
func TestCheckOut(t *testing.T) {
	dir := repository(t)
	edit(t, dir, "work/work.go", "2000", "3000")
	commit(t, dir, "second")
	edit(t, dir, "work/work.go", "3000", "4000")
	for name, text := range map[string]string{".gitignore": "*.out\n", "new file.txt": "new", "old.out": "ignored", "staged.txt": "staged"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	do(t, dir, "add", "staged.txt")
	if err := os.Remove(filepath.Join(dir, "plain/plain_test.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("work/work.go", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before := state(t, dir)
	for name, want := range map[string]struct {
		steps, about string
		has, lacks   []string
	}{
		"first":    {"2000", "commit ", []string{"plain/plain_test.go"}, []string{"new file.txt", ".git"}},
		"second~1": {"2000", "commit ", nil, nil},
		"HEAD":     {"3000", "commit ", nil, []string{"staged.txt"}},
		".":        {"4000", "the work tree, changed since commit ", []string{"new file.txt", "staged.txt", "link"}, []string{"old.out", "plain/plain_test.go", ".git"}},
	} {
		to := filepath.Join(t.TempDir(), "A")
		tr, err := checkOut(t.Context(), filepath.Join(dir, "work"), name, to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tr.dir != filepath.Join(to, "work") || !strings.HasPrefix(tr.about, want.about) || tr.name != name {
			t.Errorf("%s: %+v", name, tr)
		}
		if data, err := os.ReadFile(filepath.Join(tr.dir, "work.go")); err != nil || !strings.Contains(string(data), "Steps = "+want.steps) {
			t.Errorf("%s: %v, want %s steps in\n%s", name, err, want.steps, data)
		}
		for _, file := range want.has {
			if _, err := os.Lstat(filepath.Join(to, file)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, file := range want.lacks {
			if _, err := os.Lstat(filepath.Join(to, file)); err == nil {
				t.Errorf("%s has %s", name, file)
			}
		}
	}
	untouched(t, dir, before)
}

func TestCheckOutRefuses(t *testing.T) {
	dir := repository(t)
	before := state(t, dir)
	for name, c := range map[string]struct{ dir, rev, want string }{
		"unknown":        {dir, "nosuch", "nosuch is no revision here"},
		"a file":         {dir, "go.mod", "go.mod is no revision here"},
		"a flag":         {dir, "--all", "--all is no revision here"},
		"hostile":        {dir, "\x1b[2J", `\x1b[2J is no revision here`},
		"no repository":  {t.TempDir(), ".", "revisions are compared in a git repository"},
		"no such folder": {filepath.Join(dir, "none"), ".", "none"},
	} {
		_, err := checkOut(t.Context(), c.dir, c.rev, filepath.Join(t.TempDir(), "A"))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: %v, want %q in one line", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checkOut(ctx, dir, "first", filepath.Join(t.TempDir(), "A")); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	untouched(t, dir, before)
}
