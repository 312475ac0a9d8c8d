// This file is for systems without process groups.

//go:build !unix

package systems

import "os/exec"

// inGroup leaves the command as it is.
func inGroup(*exec.Cmd) {}

// endGroup does nothing.
func endGroup(*exec.Cmd) {}
