package run

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the fork into a process group of its own, so that whatever it
// starts can be killed with it, and has it killed when the runner dies: a fork
// left behind would disturb the next run.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// running reports whether there is a process of that number.
func running(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
