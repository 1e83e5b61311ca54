package ipc

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"hotpath/impl/ipc/internal/path"
)

// TestMain runs the tests with poisoned frames and expects that they leave no
// goroutine and no file behind.
func TestMain(m *testing.M) {
	path.Poison = true
	before := openFiles()
	code := m.Run()
	if code == 0 {
		if left := leftOver(before); left != "" {
			fmt.Fprintln(os.Stderr, left)
			code = 1
		}
	}
	os.Exit(code)
}

// leftOver waits for what is about to end and says what does not.
func leftOver(files int) (left string) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = ""
		for _, g := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(g, "impl/ipc") && !strings.Contains(g, "ipc.TestMain") {
				left += "left running: " + g + "\n\n"
			}
		}
		if n := openFiles(); n > files {
			left += fmt.Sprintf("%d files were open, now %d\n", files, n)
		}
		if left == "" {
			break
		}
	}
	return left
}

// openFiles counts the sockets of the process, where that can be seen: the
// runtime opens files of its own.
func openFiles() int {
	n := 0
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}
