//go:build unix && !solaris && !illumos && !aix

// This file locks directories on systems with flock.

package durable

import (
	"errors"
	"os"
	"syscall"
)

// canLock says whether lock distinguishes the files of live runs from those of dead ones.
const canLock = true

// errWouldBlock is what lock returns when another open file holds the lock.
const errWouldBlock = syscall.EWOULDBLOCK

// lock takes an exclusive lock that lasts until the file is closed or the process ends. It does not wait.
func lock(file *os.File) error { return flock(file, syscall.LOCK_EX) }

// share takes a lock that several can hold, while none is exclusive.
func share(file *os.File) error { return flock(file, syscall.LOCK_SH) }

// release gives the lock of a file back and closes it. Closing is not enough: a process that is being started has the
// open file too, until it runs its program, and would hold the lock that long.
func release(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) // closing gives it back where this cannot
	file.Close()                                       // nothing was written through it
}

func flock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}

// unlockable reports whether err says that the file system has no locks. There, nothing is swept either.
func unlockable(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}
