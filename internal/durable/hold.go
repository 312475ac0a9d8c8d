// This file locks a folder that several runs may use one after the other.

package durable

import "io"

// HoldFolder makes the folder at path, unless there is one, and locks it until the result is closed. The error wraps
// ErrLocked if another run holds it.
func HoldFolder(path string) (io.Closer, error) {
	held, err := acquire(path, path)
	if err != nil {
		return nil, err
	}
	return held, nil
}
