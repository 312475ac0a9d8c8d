//go:build !unix || solaris || illumos || aix

// This file is for systems without flock. There, nothing keeps apart two runs that write the same output, and nothing
// of dead runs is swept.

package durable

import (
	"errors"
	"os"
)

// canLock says whether lock distinguishes the files of live runs from those of dead ones.
const canLock = false

var errWouldBlock = errors.New("durable: locked")

func lock(*os.File) error { return nil }

func share(*os.File) error { return nil }

func release(file *os.File) { file.Close() }

func unlockable(error) bool { return false }
