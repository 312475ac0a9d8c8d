// This file locks directories: the temporary one of an output, which it clears of what an earlier run left, and
// those that stay where they are.

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A lock that is still held after sweepRounds pauses belongs to a run that writes.
const (
	sweepRounds = 5
	sweepPause  = 2 * time.Millisecond
)

// lockTemporary makes the temporary directory of path, locks it and empties it. It returns the open directory, which
// holds the lock until it is closed. The error is ErrExists if there is anything at path.
func lockTemporary(path, temporary string) (held *os.File, err error) {
	if err := vacant(path); err != nil {
		return nil, err
	}
	if held, err = acquire(path, temporary); err != nil {
		return nil, err
	}
	// The lock keeps other runs out from here on. A run that died still left its files in the directory, and path may have
	// been taken since the first look.
	err = vacant(path)
	if err == nil {
		err = empty(temporary)
	}
	if err != nil {
		discard(temporary)
		release(held)
		return nil, err
	}
	return held, nil
}

// vacant returns ErrExists if there is anything at path.
func vacant(path string) error {
	err := try("stat", path, func() error {
		_, err := os.Lstat(path)
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, ErrExists)
}

// acquire makes the temporary directory and locks it. The lock is the operating system's and lies on the directory
// itself: it ends with the process that holds it and needs no separate file.
func acquire(path, temporary string) (*os.File, error) {
	blocked := 0
	for range lockRounds { // a round is lost only if another run came and went during it
		err := try("mkdir", temporary, func() error { return os.Mkdir(temporary, 0o777) })
		if err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		dir, err := openDir(temporary)
		if errors.Is(err, os.ErrNotExist) {
			continue // another run has committed or removed it
		}
		if err != nil {
			return nil, err // the directory stays: another run may hold it by now, and the next one clears it
		}
		current, err := lockNamed(dir, temporary)
		if err == nil && current {
			return dir, nil
		}
		release(dir)
		if errors.Is(err, errWouldBlock) {
			// A run that sweeps holds the lock for a moment; a run that writes keeps it.
			if blocked++; blocked < sweepRounds {
				time.Sleep(sweepPause)
				continue
			}
			return nil, fmt.Errorf("%s: %w", path, ErrLocked)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s cannot be locked: it is not a directory, or other runs keep replacing it", temporary)
}

// empty removes what a run that died left in the temporary directory.
func empty(temporary string) error {
	entries, err := os.ReadDir(temporary)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := RemoveTemporary(filepath.Join(temporary, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

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
