// Package durable writes files and directories that are complete or absent: whatever fails, and whenever the machine
// stops, nothing half-written is ever found under the final name.
//
// Everything is written under a temporary name beside the final one (the final name with a leading dot and a suffix),
// flushed to the disk, renamed, and made lasting by a sync of the parent directory. An error before the rename leaves what
// stood there before; an error after it (only that last sync can fail) leaves the new content, complete.
//
// A Writer or a Dir belongs to one goroutine at a time.
package durable

import (
	"errors"
	"os"
	"syscall"
)

// faults is called before every operation on the file system, with the operation's name, when a test has set it. The
// operation then fails with the error it returns.
var faults func(operation string) error

// try does one operation on the file system, unless a test lets it fail.
func try(operation string, do func() error) error {
	if faults != nil {
		if err := faults(operation); err != nil {
			return err
		}
	}
	return do()
}

// syncDir makes the names in a directory lasting. File systems that cannot sync a directory keep names in order by
// themselves and say EINVAL, or that it is unsupported.
func syncDir(path string) error {
	return try("sync directory", func() error {
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
