// This file replaces a directory by a new one, and holds the place of a file against other runs.

package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotReplaceable means that what is at the path of a new directory cannot be replaced by it.
var ErrNotReplaceable = errors.New("output cannot be replaced")

// Replace is Create for a path where a directory may be that Commit made. It stays as it is until Commit exchanges it
// for the new one, in one step of the file system, and removes it then. The error wraps ErrLocked as that of Create
// does, and ErrNotReplaceable if something else is at path, or if the system has no such step. check, unless it is nil,
// may refuse what is at path: it is asked now, and again before the exchange.
func Replace(path string, check func(path string) error) (*Dir, error) {
	path = filepath.Clean(path)
	if err := replaceable(path, check); err != nil {
		return nil, err
	}
	folder := sibling(path, partialSuffix)
	held, err := acquire(path, folder)
	if err != nil {
		return nil, err
	}
	Sweep(filepath.Dir(path))
	if err := errors.Join(empty(folder), exchanges(path, folder)); err != nil {
		discard(folder)
		held.Close()
		return nil, err
	}
	publish := func(d *Dir) error { return d.exchange(path, check) }
	return &Dir{folder: folder, lock: held, beside: path, publish: publish}, nil
}

// exchanges tries in a folder beside path whether the file system exchanges directories, if there is one to exchange:
// some refuse what the system offers, and a run that learns so at its end has worked for nothing.
func exchanges(path, folder string) error {
	if vacant(path) == nil {
		return nil
	}
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	defer discard(a)
	defer discard(b)
	if err := errors.Join(os.Mkdir(a, 0o777), os.Mkdir(b, 0o777)); err != nil {
		return err
	}
	if err := exchange(a, b); err != nil {
		return fmt.Errorf("%s: %w: its file system cannot exchange two directories in one step: %w", path,
			ErrNotReplaceable, err)
	}
	return nil
}

// replaceable returns an error unless nothing is at path, or a complete directory of results that check lets go.
func replaceable(path string, check func(path string) error) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !canExchange:
		return fmt.Errorf("%s: %w: this system cannot exchange two directories in one step", path, ErrNotReplaceable)
	case !info.IsDir():
		return fmt.Errorf("%s: %w: it is not a directory", path, ErrNotReplaceable)
	}
	if _, err := os.Lstat(filepath.Join(path, Success)); err != nil {
		return fmt.Errorf("%s: %w: it is no complete output, for it has no %s", path, ErrNotReplaceable, Success)
	}
	if check != nil {
		return check(path)
	}
	return nil
}

// exchange gives a directory its final name, and removes what had it.
func (d *Dir) exchange(path string, check func(path string) error) error {
	if err := d.finish(); err != nil {
		return err
	}
	if err := replaceable(path, check); err != nil {
		return err
	}
	if err := vacant(path); err == nil {
		return d.settle(path)
	}
	// The old directory comes to where other runs look for one that is being written: the lock keeps them from it until it
	// is removed.
	if old, err := os.Open(path); err == nil {
		defer old.Close()
		if _, err := lockNamed(old, path); err != nil && !unlockable(err) {
			return err
		}
	}
	if err := attempt(Operation{Name: "exchange", Path: d.folder, To: path},
		func() error { return exchange(d.folder, path) }); err != nil {
		return err
	}
	d.done = true
	defer release(d.lock)
	if err := syncedName(path); err != nil {
		return err // a power cut may bring the old directory back: it stays for the next run to remove
	}
	discard(d.folder) // the old directory; the next run removes what is left of it
	return nil
}

// settle gives a finished directory its final name, where there is nothing.
func (d *Dir) settle(path string) error {
	if err := rename(d.folder, path); err != nil {
		return err
	}
	d.done = true
	release(d.lock)
	return syncedName(path)
}

// Hold keeps other runs from writing a file at path until release is called or the process ends. The error wraps
// ErrLocked if another run holds it. Unless replace is set, it wraps ErrExists if anything is at path.
func Hold(path string, replace bool) (release func(), err error) {
	path = filepath.Clean(path)
	folder := sibling(path, partialSuffix)
	take := lockTemporary
	if replace {
		take = acquire
	}
	held, err := take(path, folder)
	Sweep(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return func() {
		discard(folder)
		held.Close()
	}, nil
}
