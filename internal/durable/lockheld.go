// This file locks directories that stay where they are.

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Lock is a lock on a directory. It ends with Unlock, or with the process.
type Lock struct{ dir *os.File }

// LockDir locks a directory for one writer. It does not wait: the error wraps ErrLocked if another run holds the lock.
// Whoever only reads the directory needs no lock.
func LockDir(path string) (*Lock, error) {
	dir, err := openDir(path)
	if err != nil {
		return nil, err
	}
	if err := try("lock", path, func() error { return lock(dir) }); err != nil {
		dir.Close()
		if errors.Is(err, errWouldBlock) {
			err = fmt.Errorf("%s: %w", path, ErrLocked)
		}
		return nil, err
	}
	return &Lock{dir}, nil
}

// openDir opens a directory, to lock it.
func openDir(path string) (*os.File, error) { return open("open directory", path, os.O_RDONLY) }

// Unlock gives the lock back. A nil Lock has nothing to give.
func (l *Lock) Unlock() {
	if l != nil {
		release(l.dir)
	}
}

// ShareDir keeps a directory from LockDir, which several may do at once. It ends with Unlock, or with the process. The
// error wraps fs.ErrNotExist if there is no such directory, or it is about to be removed.
func ShareDir(path string) (*Lock, error) {
	dir, err := openDir(path)
	if err != nil {
		return nil, err
	}
	err = try("lock", path, func() error { return share(dir) })
	current := true
	if err == nil {
		current, err = named(dir, path)
	}
	switch {
	case errors.Is(err, errWouldBlock), err == nil && !current:
		err = fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	case err == nil, unlockable(err):
		return &Lock{dir}, nil
	}
	dir.Close()
	return nil, err
}

// HoldFolder makes the folder at path, unless there is one, and locks it until the lock is given back. The error wraps
// ErrLocked if another run holds it.
func HoldFolder(path string) (*Lock, error) {
	held, err := acquire(path, path)
	if err != nil {
		return nil, err
	}
	return &Lock{held}, nil
}
