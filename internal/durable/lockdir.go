// This file takes the temporary directory of an output for one run and clears it of what an earlier run left.

package durable

import (
	"errors"
	"fmt"
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
