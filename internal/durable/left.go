// This file remembers the temporary files that could not be removed, so that somebody can be told of them.

package durable

import (
	"fmt"
	"sync"
)

// left are the errors of removing temporary files and folders.
var left struct {
	sync.Mutex
	errors []error
}

// Left returns the errors of temporary files and folders that could not be removed since the last call. They name the
// paths. Nothing depends on these files; the next run that writes to the same folder tries to remove most of them.
func Left() []error {
	left.Lock()
	defer left.Unlock()
	errors := left.errors
	left.errors = nil
	return errors
}

// discard removes a temporary file or folder, if it is there. Of those that stay it remembers the first few: a process
// may live long and never ask.
func discard(path string) {
	err := RemoveTemporary(path)
	if err == nil {
		return
	}
	left.Lock()
	defer left.Unlock()
	if len(left.errors) < 100 {
		left.errors = append(left.errors, fmt.Errorf("%s stays: %w", path, err))
	}
}
