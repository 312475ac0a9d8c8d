// This file makes folders for the temporary files of a run.

package durable

import (
	"crypto/rand"
	"os"
	"path/filepath"
)

// Scratch is a folder for the temporary files of one run. The run holds a lock on it, which ends with the process.
type Scratch struct {
	path    string
	held    *os.File // the open folder, which holds the lock; nil where there are no locks
	removed bool
}

// NewScratch makes a folder in the folder in; empty means the system's folder for temporary files. kind is a word in
// small letters that says what the folder is for. NewScratch also removes what dead runs left in the folder in; see
// Sweep.
func NewScratch(in, kind string) (*Scratch, error) {
	if in == "" {
		in = os.TempDir()
	}
	Sweep(in)
	return newScratch(func() string { return filepath.Join(in, scratchPrefix+kind+"-"+rand.Text()) })
}

// newScratch makes and locks a folder. name returns another path at each call.
func newScratch(name func() string) (*Scratch, error) {
	path, held, err := fresh(name, func(path string) error {
		return try("mkdir", path, func() error { return os.Mkdir(path, 0o700) })
	})
	if err != nil {
		return nil, err
	}
	return &Scratch{path: path, held: held}, nil
}

// Path returns the folder.
func (s *Scratch) Path() string { return s.path }

// Remove removes the folder with all that is in it, and gives the lock back. Left names what it cannot remove. A second
// call does nothing.
func (s *Scratch) Remove() {
	if s == nil || s.removed {
		return
	}
	s.removed = true
	discard(s.path)
	s.held.Close() // nothing was written through it
}

// Stage begins a directory in the temporary folder of the system. Commit calls publish with that folder, which then
// holds all files, and returns its error. Publish brings the files to where they belong and marks them complete; Stage
// writes no _SUCCESS. The folder is gone after Commit or Abort, also if publish panics.
func Stage(publish func(folder string) error) (*Dir, error) {
	staged, err := NewScratch("", "output")
	if err != nil {
		return nil, err
	}
	folder := staged.Path()
	return &Dir{folder: folder, lock: staged.held, beside: folder,
		publish: func(*Dir) error { return publish(folder) }}, nil
}
