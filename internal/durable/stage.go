// This file begins a directory that becomes final somewhere else than in a file system.

package durable

import "os"

// Stage begins a directory in the temporary folder of the system. Commit calls publish with that folder, which then holds
// all files, and returns its error. Publish brings the files to where they belong and marks them complete; Stage writes no
// _SUCCESS. The folder is gone after Commit or Abort, also if publish panics.
func Stage(publish func(folder string) error) (*Dir, error) {
	var folder string
	err := try("mkdir", func() (err error) {
		folder, err = os.MkdirTemp("", "anchorage-output-")
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Dir{folder: folder, publish: func() error { return publish(folder) }}, nil
}
