//go:build unix && !linux

package run

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the fork into a process group of its own, so that whatever it
// starts can be killed with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// running reports whether there is a process of that number.
func running(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
