package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// lockName is the file that a process holds locked while it makes a run.
const lockName = ".lock"

// BusyError says that another process is making a run.
type BusyError struct {
	Run string // its name; empty while the process only looks for what was left
	PID string
}

func (e *BusyError) Error() string {
	if e.Run == "" {
		return fmt.Sprintf("process %s is looking for runs below this folder: wait for it, or stop it first", e.PID)
	}
	return fmt.Sprintf("results/%s is being made by process %s: wait for it, or stop it first", e.Run, e.PID)
}

// acquire takes the lock of the folder that results is open on, for a run of that
// name. The kernel frees it when the file is closed or the process ends. It waits
// for a process that only looks for what was left.
func acquire(results *os.Root, run string) (*os.File, error) {
	f, err := results.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for tries := 100; ; tries-- {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		time.Sleep(20 * time.Millisecond) // its holder may be about to write who it is
		if busy := holder(f); busy.Run != "" || tries == 0 {
			return nil, errors.Join(busy, f.Close())
		}
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(fmt.Appendln(nil, os.Getpid(), run), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", lockName, err), f.Close())
	}
	return f, nil
}

// holder is who holds the lock, by its own word.
func holder(f *os.File) *BusyError {
	text, _ := io.ReadAll(io.NewSectionReader(f, 0, 100))
	pid, run, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return &BusyError{Run: run, PID: pid}
}
