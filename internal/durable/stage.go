// This file begins a directory that becomes final somewhere else than in a file system.

package durable

import (
	"crypto/rand"
	"os"
	"path/filepath"
)

// Stage begins a directory in the temporary folder of the system. Commit calls publish with that folder, which then
// holds all files, and returns its error. Publish brings the files to where they belong and marks them complete; Stage
// writes no _SUCCESS. The folder is gone after Commit or Abort, also if publish panics.
func Stage(publish func(folder string) error) (*Dir, error) {
	staged, err := NewScratch("", "output")
	if err != nil {
		return nil, err
	}
	folder := staged.Path()
	work := func() string { return filepath.Join(os.TempDir(), scratchPrefix+"work-"+rand.Text()) }
	return &Dir{folder: folder, lock: staged.held, work: work, publish: func() error { return publish(folder) }}, nil
}
