// This file writes one directory that is complete or absent.

package durable

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/objects"
)

// Success is the name of the empty file that Commit writes last into a directory.
const Success = "_SUCCESS"

var (
	// ErrExists says that there is something at the path of a new directory.
	ErrExists = errors.New("output exists already")
	// ErrLocked says that another run is writing the same directory.
	ErrLocked = errors.New("another run is writing this output")
)

// File describes a file of a Dir.
type File struct {
	Name   string
	Size   int64  // bytes
	SHA256 string // of the content, in hexadecimal
}

// Dir is a directory being written under a temporary name, which this run holds a lock on. Commit gives it its final
// name; Abort removes it. One of them must be called, for both give the lock back.
type Dir struct {
	path      string // final name
	temporary string
	remote    *remote  // where path is a URL; then the temporary directory lies in the system's
	lock      *os.File // the temporary directory itself, locked
	files     []File
	done      bool // committed or aborted
}

// Create begins a directory that Commit will put at path. The error is ErrExists (use errors.Is) if there is anything at
// path, and ErrLocked if another run has begun the same directory and is alive. What a run that died left behind is
// removed.
//
// path may be a URL; see objects. Then the files are gathered on this machine, and Commit uploads them, as remote.commit
// describes.
func Create(path string) (*Dir, error) {
	if objects.IsURL(path) {
		return createRemote(path)
	}
	path, err := objects.Local(path)
	if err != nil {
		return nil, err
	}
	path = filepath.Clean(path)
	d := &Dir{path: path, temporary: sibling(path, "partial")}
	if err := vacant(path); err != nil {
		return nil, err
	}
	if err := d.acquire(); err != nil {
		return nil, err
	}
	// Only now that nobody else can be at it is the answer final, and are the leftovers nobody's.
	err = vacant(path)
	if err == nil {
		err = d.clear()
	}
	if err != nil {
		d.Abort()
		return nil, err
	}
	return d, nil
}

// vacant returns ErrExists if there is anything at path.
func vacant(path string) error {
	err := try("stat", func() error {
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

// acquire makes the temporary directory and locks it. The lock is the operating system's, on the directory itself: it
// ends with the process that holds it, and needs no file of its own.
func (d *Dir) acquire() error {
	for range 100 { // each round lost means that another run came and went just then
		err := try("mkdir", func() error { return os.Mkdir(d.temporary, 0o777) })
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		err = try("open directory", func() (err error) {
			d.lock, err = os.Open(d.temporary)
			return err
		})
		if errors.Is(err, os.ErrNotExist) {
			continue // committed or removed by another run since
		}
		if err != nil {
			return err // what was made stays: another run may hold it by now, and the next one clears it
		}
		current, err := d.lockDirectory()
		if err != nil {
			d.lock.Close()
			return err
		}
		if current {
			return nil
		}
		d.lock.Close()
	}
	return fmt.Errorf("%s cannot be locked: it keeps changing, or is no directory", d.temporary)
}

// lockDirectory locks the open directory and reports whether it still is the one under the temporary name: another run
// may have renamed or removed it between the opening and the locking.
func (d *Dir) lockDirectory() (current bool, err error) {
	if err := try("lock", func() error { return lock(d.lock) }); err != nil {
		if errors.Is(err, errWouldBlock) {
			err = fmt.Errorf("%s: %w", d.path, ErrLocked)
		}
		return false, err
	}
	locked, err := d.lock.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(d.temporary)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), err
}

// clear removes what a dead run left in the temporary directory.
func (d *Dir) clear() error {
	entries, err := os.ReadDir(d.temporary)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := try("remove", func() error { return os.RemoveAll(filepath.Join(d.temporary, entry.Name())) }); err != nil {
			return err
		}
	}
	return nil
}

// Path returns where the directory is while it is being written. Files that are put there directly are committed too,
// though neither listed nor synced.
func (d *Dir) Path() string { return d.temporary }

// WriteFile writes the file of that name. A name cannot be written twice. On an error the file is removed.
func (d *Dir) WriteFile(name string, write func(io.Writer) error) (err error) {
	if name != filepath.Base(name) || strings.Trim(name, ".") == "" || name == Success {
		return fmt.Errorf("durable: %q is no name for a file of a directory", name)
	}
	if d.done {
		return errors.New("durable: directory is committed or aborted already")
	}
	path := filepath.Join(d.temporary, name)
	var file *os.File
	err = try("create", func() (err error) {
		file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return err
	}
	complete := false
	defer func() { // also when write panics
		if !complete {
			file.Close()
			os.Remove(path)
		}
	}()
	digest := digester{buffer: bufio.NewWriterSize(rawFile{file}, bufferSize), hash: sha256.New()}
	if err := write(&digest); err != nil {
		return err
	}
	if err := finish(file, digest.buffer); err != nil {
		return err
	}
	complete = true
	d.files = append(d.files, File{Name: name, Size: digest.size, SHA256: hex.EncodeToString(digest.hash.Sum(nil))})
	return nil
}

// Files returns what WriteFile has written, sorted by name.
func (d *Dir) Files() []File {
	files := slices.Clone(d.files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// Commit writes the empty file _SUCCESS, makes everything lasting and gives the directory its name. The error is
// ErrExists if something has appeared there meanwhile. On an error before the renaming the directory is aborted.
func (d *Dir) Commit() error {
	if d.done {
		return errors.New("durable: directory is committed or aborted already")
	}
	defer d.Abort()
	if d.remote != nil {
		return d.remote.commit(d.temporary)
	}
	if err := d.finish(); err != nil {
		return err
	}
	// A rename would silently take the place of an empty directory.
	if err := vacant(d.path); err != nil {
		return err
	}
	if err := try("rename", func() error { return os.Rename(d.temporary, d.path) }); err != nil {
		return err
	}
	d.done = true
	d.lock.Close() // ends the lock; nothing is written through it
	return syncDir(filepath.Dir(d.path))
}

// finish writes _SUCCESS and makes the names in the directory lasting.
func (d *Dir) finish() error {
	err := try("create", func() error {
		file, err := os.OpenFile(filepath.Join(d.temporary, Success), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
	if err != nil {
		return err
	}
	return syncDir(d.temporary)
}

// Abort removes everything and gives the lock back. After Commit, or a second time, it does nothing.
func (d *Dir) Abort() {
	if d.done {
		return
	}
	d.done = true
	os.RemoveAll(d.temporary)
	if d.lock != nil {
		d.lock.Close()
	}
}

// digester counts and hashes what goes through it.
type digester struct {
	buffer *bufio.Writer
	hash   hash.Hash
	size   int64
}

func (g *digester) Write(p []byte) (int, error) {
	n, err := g.buffer.Write(p)
	g.hash.Write(p[:n]) // a hash never fails
	g.size += int64(n)
	return n, err
}
