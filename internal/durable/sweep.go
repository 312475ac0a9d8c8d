// This file removes the temporary files and folders of runs that died, and remembers those that could not be
// removed.

package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
)

const (
	// scratchPrefix begins the names of scratch folders: anchorage-KIND-RANDOM.
	scratchPrefix = "anchorage-"
	// temporarySuffix ends the names of files that are being written, .NAME.RANDOM.anchorage-tmp, and partialSuffix those
	// of directories, .NAME.anchorage-partial. Names that no other program uses can be recognised and removed.
	temporarySuffix = "anchorage-tmp"
	partialSuffix   = "anchorage-partial"
	// lockRounds is how often a run tries to lock what it has just made.
	lockRounds = 100
)

// temporaryName matches the names of what this package makes. The random part is that of rand.Text.
var temporaryName = regexp.MustCompile(`^(anchorage-[a-z]+-[A-Z2-7]{26}|` +
	`\..+\.[A-Z2-7]{26}\.anchorage-tmp|\..+\.anchorage-partial)$`)

// IsTemporary reports whether a file or folder of this name is a temporary one of this package.
func IsTemporary(name string) bool { return temporaryName.MatchString(name) }

// Sweep removes the temporary files and folders of dead runs that lie directly in a folder, whatever output they
// belonged to. Every run locks its own, and the lock ends with the process; so what can be locked belongs to no run.
// Errors are ignored: what cannot be removed now stays for a later run. Where there are no such locks, Sweep does
// nothing.
func Sweep(folder string) {
	if !canLock {
		return
	}
	dir, err := os.Open(folder)
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, name := range names {
		if temporaryName.MatchString(name) {
			sweep(filepath.Join(folder, name))
		}
	}
}

// sweep removes a file or folder unless a run holds it.
func sweep(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return // gone, or a link that this package did not make
	}
	held, err := os.Open(path)
	if err != nil {
		return
	}
	defer held.Close()
	if lock(held) != nil {
		return
	}
	if current, err := named(held, path); err != nil || !current {
		return
	}
	// Under another name it is in no run's way: a run that wants the name need not wait until all is removed.
	away := temporary(path)
	if len(filepath.Base(away)) > 255 || os.Rename(path, away) != nil {
		away = path
	}
	os.RemoveAll(away)
}

// lockNamed locks an open file or folder and reports whether it still has its name. Another run may have renamed or
// removed it between the opening and the locking.
func lockNamed(held *os.File, path string) (current bool, err error) {
	if err := try("lock", path, func() error { return lock(held) }); err != nil {
		return false, err
	}
	return named(held, path)
}

// named reports whether an open file or folder has that path.
func named(held *os.File, path string) (bool, error) {
	locked, err := held.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, there), err
}

// left are the errors of removing temporary files and folders.
var left struct {
	sync.Mutex
	errors []error
}

// Left returns the errors of temporary files and folders that could not be removed since the last call. They name the
// paths. Nothing depends on these files; the next run that writes to the same folder tries to remove most of them.
func Left() []error {
	left.Lock()
	defer left.Unlock()
	errors := left.errors
	left.errors = nil
	return errors
}

// discard removes a temporary file or folder, if it is there. Of those that stay it remembers the first few: a process
// may live long and never ask.
func discard(path string) {
	err := RemoveTemporary(path)
	if err == nil {
		return
	}
	left.Lock()
	defer left.Unlock()
	if len(left.errors) < 100 {
		left.errors = append(left.errors, fmt.Errorf("%s stays: %w", path, err))
	}
}
