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
	"sync"
)

// Success is the name of the empty file that Commit writes last into a directory.
const Success = "_SUCCESS"

var (
	// ErrExists means that something is at the path of a new directory already.
	ErrExists = errors.New("output exists already")
	// ErrLocked means that another run is writing the same directory.
	ErrLocked = errors.New("another run is writing this output")
)

// errEnded is the error of using a Dir after Commit or Abort.
var errEnded = errors.New("durable: the directory is committed or aborted already")

// File describes a file of a Dir.
type File struct {
	Name   string
	Size   int64  // bytes
	SHA256 string // of the content, in hexadecimal
}

// Dir is a directory that is being written to a temporary folder. Commit makes it final; Abort removes it. Call one of
// them: either gives up the folder and its lock.
type Dir struct {
	folder  string             // where the files are until Commit
	publish func(d *Dir) error // makes the folder final
	lock    *os.File           // the open folder, which holds the lock
	mu      sync.Mutex         // of files
	files   []File
	done    bool     // committed or aborted
	beside  string   // the path beside which the scratch folder is
	scratch *Scratch // nil until it is asked for
}

// Create begins a directory that Commit will put at path. The error wraps ErrExists if there is anything at path, and
// ErrLocked if another run has begun the same directory and is still alive. Create removes what runs that died left
// in the folder of path; see Sweep.
func Create(path string) (*Dir, error) {
	path = filepath.Clean(path)
	folder := sibling(path, partialSuffix)
	held, err := lockTemporary(path, folder)
	// Of runs on other outputs, such as yesterday's, and of one that died when this output was complete: a retry finds it
	// there.
	Sweep(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return &Dir{folder: folder, lock: held, beside: path, publish: func(d *Dir) error { return d.rename(path) }}, nil
}

// Path returns the folder that holds the files until Commit. Files that the caller puts there directly are committed
// too, but neither listed nor synced. Working files belong into Scratch.
func (d *Dir) Path() string { return d.folder }

// Scratch returns a folder for working files, which never become part of the directory. On this machine it lies beside
// it. The first call makes it. Abort removes it, and after Commit RemoveScratch does.
func (d *Dir) Scratch() (string, error) {
	if d.done {
		return "", errEnded
	}
	if d.scratch == nil {
		var err error
		if d.scratch, err = newScratch(func() string { return temporary(d.beside) }); err != nil {
			return "", err
		}
	}
	return d.scratch.Path(), nil
}

// RemoveScratch removes the folder of working files, if there is one.
func (d *Dir) RemoveScratch() { d.scratch.Remove() }

// WriteFile writes a file of the directory. Each name can be written once. After an error the file is gone. Several
// goroutines may write files at once.
func (d *Dir) WriteFile(name string, write func(io.Writer) error) (err error) {
	if name != filepath.Base(name) || strings.Trim(name, ".") == "" || name == Success {
		return fmt.Errorf("durable: a file of a directory cannot be named %q", name)
	}
	if d.done {
		return errEnded
	}
	path := filepath.Join(d.folder, name)
	file, err := createNew(path)
	if err != nil {
		return err
	}
	complete := false
	defer func() { // also when write panics
		if !complete {
			file.Close()
			discard(path)
		}
	}()
	buffer := bufio.NewWriterSize(rawFile{file}, bufferSize)
	digest := NewDigester(buffer)
	if err := write(digest); err != nil {
		return err
	}
	if err := finish(file, buffer); err != nil {
		return err
	}
	complete = true
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files = append(d.files, digest.File(name))
	return nil
}

// Files returns the files that WriteFile has written, sorted by name.
func (d *Dir) Files() []File {
	files := slices.Clone(d.files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// Commit makes the directory final. One begun by Create gets the empty file _SUCCESS, is flushed to the disk and
// renamed; the error wraps ErrExists if something has appeared at its path meanwhile. An error before the rename aborts
// the directory.
func (d *Dir) Commit() error {
	if d.done {
		return errEnded
	}
	defer d.discard()
	return d.publish(d)
}

// rename gives a directory of this machine its final name.
func (d *Dir) rename(path string) error {
	if err := d.finish(); err != nil {
		return err
	}
	// Without this check the rename would silently replace an empty directory.
	if err := vacant(path); err != nil {
		return err
	}
	return d.settle(path)
}

// finish writes _SUCCESS and makes the names in the directory lasting.
func (d *Dir) finish() error {
	file, err := createNew(filepath.Join(d.folder, Success))
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if err != nil {
		return err
	}
	return syncDir(d.folder)
}

// Abort removes everything and gives the lock back. After Commit it removes only working files.
func (d *Dir) Abort() {
	d.scratch.Remove()
	d.discard()
}

// discard removes the files of a directory that is not committed, and gives the lock back.
func (d *Dir) discard() {
	if d.done {
		return
	}
	d.done = true
	discard(d.folder)
	release(d.lock)
}

// Digester counts and hashes what is written through it.
type Digester struct {
	to   io.Writer
	hash hash.Hash
	size int64
}

// NewDigester returns a Digester of nothing.
func NewDigester(to io.Writer) *Digester { return &Digester{to: to, hash: sha256.New()} }

// File returns the size and the digest of what was written, as those of a file of the given name.
func (g *Digester) File(name string) File {
	return File{Name: name, Size: g.size, SHA256: hex.EncodeToString(g.hash.Sum(nil))}
}

func (g *Digester) Write(p []byte) (int, error) {
	n, err := g.to.Write(p)
	g.hash.Write(p[:n]) // a hash never fails
	g.size += int64(n)
	return n, err
}
