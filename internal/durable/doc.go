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
// A Writer or a Dir belongs to one goroutine at a time.
package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

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
