// This file is the one door to the file system: every operation that changes it goes through attempt, where tests make
// it fail, end the process, or write down what was done.

package durable

import (
	"fmt"
	"os"
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
