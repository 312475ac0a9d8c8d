// This file puts small files and links at paths, on the condition that nothing is there or in place of what is.

package durable

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CreateFile puts a file at path, where nothing may be: of several runs that try, one succeeds. The error of the others
// wraps ErrExists. The file appears complete, or not at all.
func CreateFile(path string, content []byte) error {
	path = filepath.Clean(path)
	temporary := sibling(path, rand.Text()+".tmp")
	file, err := createNew(temporary)
	if err != nil {
		return err
	}
	defer discard(temporary)
	defer file.Close() // where it is not closed yet
	buffer := bufio.NewWriter(rawFile{file})
	buffer.Write(content) // a buffer keeps its first error
	if err := finish(file, buffer); err != nil {
		return err
	}
	// A link, unlike a rename, replaces nothing. A faster run may sweep the temporary file away meanwhile.
	err = attempt(Operation{Name: "link", Path: temporary, To: path}, func() error { return os.Link(temporary, path) })
	if _, there := os.Lstat(path); errors.Is(err, os.ErrExist) || errors.Is(err, os.ErrNotExist) && there == nil {
		return fmt.Errorf("%s: %w", path, ErrExists)
	}
	if err != nil {
		return err
	}
	return syncedName(path)
}

// Symlink makes path a symbolic link to target, in place of one that is there.
func Symlink(target, path string) error {
	temporary := sibling(filepath.Clean(path), rand.Text()+".tmp")
	if err := attempt(Operation{Name: "symlink", Path: target, To: temporary},
		func() error { return os.Symlink(target, temporary) }); err != nil {
		return err
	}
	if err := rename(temporary, path); err != nil {
		discard(temporary)
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(path)))
}

// Rename gives a complete file the name of another, whose place it takes, and makes that lasting.
func Rename(from, to string) error {
	if err := rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// MakeDir makes a directory, unless it is there, and makes its name lasting.
func MakeDir(path string) error {
	err := try("mkdir", path, func() error { return os.Mkdir(path, 0o777) })
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(path)))
}

// RemoveAll removes a file or a directory with all that is in it, and makes that lasting. It returns nil without one. A
// directory loses its name first, so that what is left of it is not taken for complete if the removal ends halfway.
func RemoveAll(path string) error {
	there, err := removeRenamed(path, "tmp")
	if err != nil || !there {
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(path)))
}

// removeRenamed gives a file or directory a temporary name with a suffix, and removes it. there reports whether there
// was one.
func removeRenamed(path, suffix string) (there bool, err error) {
	path = filepath.Clean(path)
	doomed := sibling(path, rand.Text()+"."+suffix)
	if err := rename(path, doomed); errors.Is(err, os.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, RemoveTemporary(doomed)
}

// Discard removes a directory that only this run uses. It loses its name first; if the removal ends halfway, Sweep
// removes the rest.
func Discard(path string) error {
	_, err := removeRenamed(path, temporarySuffix)
	return err
}

// RemoveTemporary removes a temporary file or directory, whose writer is dead.
func RemoveTemporary(path string) error {
	return try("remove", path, func() error { return os.RemoveAll(path) })
}
