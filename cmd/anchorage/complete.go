// This file checks that the input is complete, as far as flags say what that means.

package main

import "fmt"

// fewError reports that there are fewer shards or documents than the command line asks for.
type fewError struct {
	what, flag string
	got, least int64
}

// Error says how many there are.
func (e *fewError) Error() string {
	return fmt.Sprintf("there are only %d %s, and %s asks for %d: the input is not complete", e.got, e.what, e.flag, e.least)
}

// enoughShards returns a *fewError if fewer shards than --min-shards were found that can be read.
func (f *sourceFlags) enoughShards() error {
	if len(f.found) < f.minShards {
		return &fewError{"shards", "--min-shards", int64(len(f.found)), int64(f.minShards)}
	}
	return nil
}

// enoughDocuments returns a *fewError if fewer documents than --min-documents were read.
func (f *sourceFlags) enoughDocuments(read int64) error {
	if read < f.minDocuments {
		return &fewError{"documents", "--min-documents", read, f.minDocuments}
	}
	return nil
}
