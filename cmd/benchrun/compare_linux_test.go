package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be the program, and the program on a full disk.
func TestMain(m *testing.M) {
	switch size := os.Getenv("BENCHRUN_DISK"); {
	case os.Getenv("BENCHRUN_TEST") != "":
		main()
	case size != "":
		if err := onDisk(size); err != nil {
			fmt.Println("no disk:", err)
		}
	default:
		os.Exit(m.Run())
	}
}

// onDisk compares with so much space for temporary files, and prints what was said,
// the exit code, the error and how many files are left.
func onDisk(size string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", os.TempDir(), "tmpfs", 0, "size="+size); err != nil {
		return err
	}
	var out bytes.Buffer
	code, err := compareRevisions(context.Background(), &out, &out, os.Args[1:])
	left, leftErr := os.ReadDir(os.TempDir())
	fmt.Printf("%q code %d left %d %v\n%v", &out, code, len(left), leftErr, err)
	return nil
}

// itself is the test binary as the program, with a folder of its own for temporary
// files.
func itself(t *testing.T, env string, args ...string) (cmd *exec.Cmd, temp string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temp = t.TempDir()
	cmd = exec.Command(self, args...)
	cmd.Env = append(os.Environ(), env, "TMPDIR="+temp)
	return cmd, temp
}

// repository is a module with a change in its work tree, and status what git says of it.
func repository(t *testing.T) (dir string, status func() string) {
	t.Helper()
	dir = t.TempDir()
	module(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "pkg", "new.go"), []byte("package pkg\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	status = func() string {
		cmd := exec.Command("git", "status", "--porcelain", "--ignored")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return fmt.Sprintf("%s%v", out, err)
	}
	return dir, status
}

// Ctrl-C on a terminal reaches all that was started from it. One line says so, no
// process and no file is left.
func TestCompareInterrupted(t *testing.T) {
	dir, status := repository(t)
	before := status()
	cmd, temp := itself(t, "BENCHRUN_TEST=main", "compare", "-C", filepath.Join(dir, "pkg"), "-bench", ".", "-budget", "1h", "-threshold", "1e-9", "HEAD", ".")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout = &out
	told, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	buf := make([]byte, 1<<10)
	for interrupted := false; ; {
		n, err := told.Read(buf)
		if said.Write(buf[:n]); err != nil {
			break
		}
		if !interrupted && strings.Contains(said.String(), "measuring") {
			interrupted = true
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
				t.Error(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 || out.Len() > 0 {
		t.Errorf("%v, output %q", err, &out)
	}
	if _, last, _ := strings.Cut(said.String(), "measuring 1 benchmark for at most 1h0m0s\n"); last != "\nbenchrun: interrupted\n" {
		t.Errorf("it said %q", said.String())
	}
	empty(t, temp)
	if after := status(); after != before {
		t.Errorf("git status was %s, is %s", before, after)
	}
}

// empty checks that no file is in a folder, and that no process runs what was in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	programs, err := filepath.Glob("/proc/*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if program, err := os.Readlink(p); err == nil && strings.HasPrefix(program, dir) {
			t.Errorf("%s still runs", program)
		}
	}
}

// A disk that is full ends it with one line, wherever that happens.
func TestCompareFullDisk(t *testing.T) {
	dir, status := repository(t)
	before := status()
	const full = "no space left on device"
	for _, c := range []struct{ about, size, want string }{
		{"no room for the files of A", "4k", "git checkout-index: error: unable to write file "},
		{"none for the files of B", "12k", full}, {"none for a program", "1m", full}, {"none for three", "6m", full},
	} {
		t.Run(c.about, func(t *testing.T) {
			cmd, _ := itself(t, "BENCHRUN_DISK="+c.size, "-C", filepath.Join(dir, "pkg"), "-bench", ".", "-budget", "10s", "HEAD", ".")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
			if os.Getuid() != 0 {
				cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
				cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
				cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
			}
			out, err := cmd.CombinedOutput()
			switch {
			case errors.Is(err, syscall.EPERM) || bytes.HasPrefix(out, []byte("no disk:")):
				t.Skipf("a disk of its own takes rights: %v %s", err, out)
			case err != nil:
				t.Fatalf("%v\n%s", err, out)
			}
			says, why, _ := strings.Cut(string(out), "\n")
			t.Logf("%s\n%s", says, why)
			if !strings.HasSuffix(says, "code 2 left 0 <nil>") || strings.Contains(why, "\n") || !strings.Contains(why, c.want) {
				t.Errorf("%s\n%s", says, why)
			}
			if after := status(); after != before {
				t.Errorf("git status was %s, is %s", before, after)
			}
		})
	}
}
