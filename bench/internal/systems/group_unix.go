// This file starts and ends the processes of a run as a group.

//go:build unix

package systems

import (
	"os"
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

// PeakMemory returns the greatest resident size of a process that has ended, in bytes; 0 if it is unknown.
func PeakMemory(ended *os.ProcessState) int64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
