// This file starts and ends the processes of a run as a group.

//go:build unix

package systems

import (
	"os/exec"
	"syscall"
)

// inGroup has a command start a separate process group, which ends as a whole.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends what a process has left behind.
func endGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error means that none is left
}
