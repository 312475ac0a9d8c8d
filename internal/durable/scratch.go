// This file makes folders for the temporary files of a run.

package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Scratch is a folder for the temporary files of one run. The run holds a lock on it, which ends with the process.
type Scratch struct {
	path string
	held *os.File // the open folder, which holds the lock
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
	for range lockRounds { // a round is lost only if another run swept the folder between its making and its locking
		path := name()
		if err := try("mkdir", path, func() error { return os.Mkdir(path, 0o700) }); err != nil {
			return nil, err
		}
		held, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			discard(path)
			return nil, err
		}
		current, err := lockNamed(held, path)
		if err == nil && current || unlockable(err) {
			return &Scratch{path, held}, nil
		}
		held.Close()
		if err != nil && !errors.Is(err, errWouldBlock) {
			discard(path)
			return nil, err
		}
	}
	return nil, fmt.Errorf("durable: other runs keep removing new folders")
}

// Path returns the folder.
func (s *Scratch) Path() string { return s.path }

// Remove removes the folder with all that is in it, and gives the lock back. A second call does nothing.
func (s *Scratch) Remove() error {
	if s == nil || s.held == nil {
		return nil
	}
	err := try("remove", s.path, func() error { return os.RemoveAll(s.path) })
	s.held.Close() // nothing was written through it
	s.held = nil
	return err
}
