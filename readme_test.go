package hotpath_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// copyTree copies the files that git would commit to a temporary folder.
func copyTree(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, and not committed so
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// commands lists the lines of the shell blocks of README.md without comments.
func commands(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range shellBlock.FindAllStringSubmatch(string(readme), -1) {
		for line := range strings.Lines(m[1]) {
			command, _, _ := strings.Cut(line, "#")
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

// TestReadmeCommands runs each command of README.md in a copy, in its order, what
// measures with a budget of seconds and one experiment.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for minutes")
	}
	dir := copyTree(t)
	for i, name := range []string{"old.txt", "new.txt"} {
		text := ""
		for k := range 10 {
			text += fmt.Sprintf("BenchmarkX 1000 %d ns/op\n", 100+k%3+i)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ran := map[string]bool{}
	for _, line := range commands(t) {
		words := strings.Fields(line)
		switch {
		case words[0] != "make":
			continue // TestImportFromCheckout
		case line == "make test":
			// It is what runs this test.
			words = append(words, "-n")
		case strings.HasPrefix(line, "make report "):
			words = append(words, "-n") // it is make report with other words
		case line == "make quick":
			words = append(words, "EXPERIMENT=ipc") // the shortest heats
		case line == "make report", line == "make reproduce":
			words = append(words, "EXPERIMENT=ipc", "BUDGET=20s")
		}
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		// doctor tells by its exit code that the machine is not fit.
		if err != nil && line != "make doctor" {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		if line == "make doctor" && !strings.Contains(string(out), "CPU") {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		ran[line] = true
	}
	if len(ran) < 8 {
		t.Errorf("only %d commands found in README.md", len(ran))
	}
	for _, name := range []string{"REPORT.md", "results/.quick/REPORT.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestImportFromCheckout does what README.md says about importing impl/.
func TestImportFromCheckout(t *testing.T) {
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const program = `package main

import (
	"fmt"

	"hotpath/impl/counter"
)

func main() {
	var requests counter.PerP
	requests.Add(1)
	fmt.Println(requests.Value())
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	edit := ""
	for _, line := range commands(t) {
		if strings.HasPrefix(line, "go mod edit") {
			edit = strings.Replace(line, "../hotpath", here, 1)
		}
	}
	for _, line := range []string{"go mod init example.test/user", edit, "go run ."} {
		words := strings.Fields(line)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		if line == "go run ." && string(out) != "1\n" {
			t.Errorf("the program printed %q", out)
		}
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err == nil && len(sum) > 0 {
		t.Errorf("the program's go.sum has %s", sum)
	}
}
