// Package durable writes files and directories of this machine that are complete or absent. Whatever fails, and
// whenever the machine stops, half of them is never found under the final name.
//
// A file or directory is written under a temporary name beside the final one (the final name with a leading dot and a
// suffix), flushed to the disk and renamed; then the parent directory is synced. An error before the rename leaves what
// was there before. Only the last sync can fail after the rename; then the new content is there, complete, and the
// error is an *UnsyncedError.
//
// A run locks its temporary files and folders. The lock ends with the process, however it ends, and the next run that
// writes into the same folder removes those that no run holds; see Sweep. The file system must keep locks between all
// machines that write to it.
//
// Paths are names of files. Package output takes URLs too and builds on this package, which knows nothing of stores.
//
// Every operation that changes the file system goes through attempt, where tests make it fail, end the process, or
// write down what was done.
//
// A Writer or a Dir belongs to one goroutine at a time.
package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Operation is an operation on the file system.
type Operation struct {
	// Name is create, truncate, write, sync, close, rename, exchange, link, symlink, mkdir, remove, open directory, sync
	// directory, lock or stat. Remove takes a folder with all that is in it.
	Name string
	Path string // of what it is done to
	To   string // the new name, of rename and link; the name of the link, of symlink; the other name, of exchange
	Data []byte // what is appended, of write; valid only during the call
	Size int64  // that the file gets, of truncate
}

// faults is nil, or a function set by a test. It gets the name of every operation on the file system before the
// operation begins. If it returns an error, the operation fails with it.
var faults func(operation string) error

// observer is nil, or a function set by a test. It gets every operation after it has succeeded.
var observer func(Operation)

// Inject makes operations on the file system fail, for tests of other packages: fault gets the name of every operation
// before it begins, and the error that it returns becomes that of the operation. undo ends that. Nothing may use this
// package meanwhile but what is tested.
func Inject(fault func(operation string) error) (undo func()) {
	faults = fault
	return func() { faults = nil }
}

// Observe calls a function of a test with every operation that has succeeded, under the conditions of Inject.
func Observe(observe func(Operation)) (undo func()) {
	observer = observe
	return func() { observer = nil }
}

// ShortWrite is an error for Inject: half of a write gets into the file before it fails with Err.
type ShortWrite struct{ Err error }

// Error says what happened.
func (e *ShortWrite) Error() string { return fmt.Sprintf("short write: %v", e.Err) }

func (e *ShortWrite) Unwrap() error { return e.Err }

// try does one operation on the file system, unless a test makes it fail.
func try(operation, path string, do func() error) error {
	return attempt(Operation{Name: operation, Path: path}, do)
}

// open opens a file, or a folder.
func open(operation, path string, flags int) (file *os.File, err error) {
	err = try(operation, path, func() (err error) {
		file, err = os.OpenFile(path, flags, 0o666)
		return err
	})
	return file, err
}

// rename gives a file or folder another name.
func rename(from, to string) error {
	return attempt(Operation{Name: "rename", Path: from, To: to}, func() error { return os.Rename(from, to) })
}

// attempt is try for an operation that has more than a path.
func attempt(op Operation, do func() error) error {
	if faults != nil {
		if err := faults(op.Name); err != nil {
			return err
		}
	}
	err := do()
	if err == nil && observer != nil {
		observer(op)
	}
	return err
}

// ErrUnsynced is what every *UnsyncedError is.
var ErrUnsynced = errors.New("the output is complete, but may not outlast a crash of the machine")

// UnsyncedError reports that an output is complete at its path, but that its name could not be made lasting: after a
// crash of the machine it may be gone.
type UnsyncedError struct {
	Path string // of the output
	Err  error
}

// Error names the output.
func (e *UnsyncedError) Error() string {
	return fmt.Sprintf("%s is complete, but its folder could not be synced: %v", e.Path, e.Err)
}

// Is reports whether target is ErrUnsynced.
func (e *UnsyncedError) Is(target error) bool { return target == ErrUnsynced }

func (e *UnsyncedError) Unwrap() error { return e.Err }

// syncedName makes the name of a complete output lasting. The error is an *UnsyncedError.
func syncedName(path string) error {
	if err := syncDir(filepath.Dir(path)); err != nil {
		return &UnsyncedError{path, err}
	}
	return nil
}

// syncDir makes the names in a directory lasting. Some file systems cannot sync a directory and answer EINVAL or that
// it is unsupported; they keep names in order by themselves.
func syncDir(path string) error {
	return try("sync directory", path, func() error {
		dir, err := os.Open(path)
		if err != nil {
			return err
		}
		err = dir.Sync()
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
			err = nil
		}
		return errors.Join(err, dir.Close())
	})
}
