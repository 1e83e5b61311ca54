// Package jvm compiles the contestants that are written in Java, and makes the
// commands that run them. They need a JDK and HdrHistogram's library for Java, as
// Debian packages both.
package jvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"hotpath/internal/bench"
)

// jar is HdrHistogram's library where Debian puts it.
const jar = "/usr/share/java/hdrhistogram.jar"

// release is the version of Java that the sources are written in.
const release = 17

// ErrMissing says that a machine lacks something. It is wrapped in an error that
// names it and the package that brings it.
var ErrMissing = errors.New("not here")

// Kit is what it takes to run the contestants.
type Kit struct {
	Env   []string     // that commands need in their environment
	Facts []bench.Fact // versions, for readers
	Sum   string       // SHA-256 of the compiled classes and the library
}

// Sources lists the Java files below the folder of the experiments: those that all
// share in its folder jvm, and those of each experiment in a folder jvm of its own.
func Sources(experiments string) ([]string, error) {
	shared, err := filepath.Glob(filepath.Join(experiments, "jvm", "*.java"))
	if err != nil {
		return nil, err
	}
	own, err := filepath.Glob(filepath.Join(experiments, "*", "jvm", "*.java"))
	return append(shared, own...), err
}

// Compile compiles sources into the folder out, which it makes. It returns
// ErrMissing where the machine lacks something.
func Compile(ctx context.Context, out string, sources []string) (Kit, error) {
	if err := complete(ctx); err != nil {
		return Kit{}, err
	}
	args := append([]string{"--release", strconv.Itoa(release), "-d", out, "-cp", jar}, sources...)
	if msg, err := command(ctx, "javac", args...).CombinedOutput(); err != nil {
		return Kit{}, fmt.Errorf("javac: %w\n%s", err, msg)
	}
	version, err := command(ctx, "java", "--version").Output()
	if err != nil {
		return Kit{}, fmt.Errorf("java --version: %w", err)
	}
	k := Kit{Env: []string{"CLASSPATH=" + out + string(os.PathListSeparator) + jar}}
	lines := strings.Split(strings.TrimSpace(string(version)), "\n")
	k.Facts = []bench.Fact{
		{Name: "JVM", Value: lines[len(lines)-1]},
		{Name: "JVM flags", Value: strings.Join(flags, " ") + ", and of each command -Xms = -Xmx"},
	}
	k.Sum, err = sum(out)
	return k, err
}

// complete returns ErrMissing where the machine lacks something.
func complete(ctx context.Context) error {
	for _, program := range []string{"java", "javac"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is %w: Debian's package default-jdk-headless brings it", program, ErrMissing)
		}
	}
	out, err := command(ctx, "javac", "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "javac "), ".")
	if n, _ := strconv.Atoi(major); err != nil || n < release {
		return fmt.Errorf("a JDK of version %d or later is %w: Debian's package openjdk-%d-jdk-headless brings it", release, ErrMissing, release)
	}
	if _, err := os.Stat(jar); err != nil {
		return fmt.Errorf("HdrHistogram's library for Java is %w: Debian's package libhdrhistogram-java brings it", ErrMissing)
	}
	return nil
}

// command is a command whose result follows from its arguments.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = Environment(os.Environ())
	return cmd
}

// Environment is an environment without what changes a JVM.
func Environment(env []string) []string {
	var clean []string
	for _, kv := range env {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS":
		default:
			clean = append(clean, kv)
		}
	}
	return clean
}

// sum is the SHA-256 of all files below a folder, in the order of their names, and of
// the library.
func sum(dir string) (string, error) {
	var all bytes.Buffer
	files := []string{jar}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		all.Write(data)
	}
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:]), nil
}

// flags are those of every command. The collector is the one that servers run
// with. No file of performance data is written, which a process that is killed
// would leave behind. What is timed is called and not put in line, as JMH does
// it, so that it stays between the two readings of the clock.
var flags = []string{
	"-XX:+UseG1GC", "-XX:-UsePerfData",
	"-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,hotpath.Worker::run",
}

// Command is the command of a fork: a class with the arguments, in a JVM with a
// heap of that size, such as 256m, from its start.
func Command(heap, class string, args ...string) []string {
	command := append([]string{"java", "-Xms" + heap, "-Xmx" + heap}, flags...)
	return append(append(command, class), args...)
}
