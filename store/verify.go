// This file checks that a store is what was written, and finds the shards whose folders are damaged. They are read
// again: their folders become what they were, so that earlier states can still refer to them.

package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"anchorage/internal/objects"
	"anchorage/internal/sealed"
	"anchorage/model"
)

// Problem is a file or folder of a store that is not what was written.
type Problem struct {
	Path, Reason string
}

// Verified is what Verify found.
type Verified struct {
	Files    int // that were hashed
	Problems []Problem
}

// Verify compares all that the current state, and the states of its generations, refer to with their hashes: segments,
// shards and generations. It reads everything. The error is that of a store that cannot be opened, or of ctx.
func Verify(ctx context.Context, path string) (*Verified, error) {
	for {
		s, err := Open(ctx, path)
		if err != nil {
			return nil, err
		}
		found, err := s.verify(ctx)
		if err != nil || len(found.Problems) == 0 {
			return found, err
		}
		// What is missing may have been removed by an update, with a state that is no longer the current one.
		if now, err := Open(ctx, path); err != nil || now.State.Number == s.State.Number {
			return found, err
		}
	}
}

// verify is Verify for the state that was opened.
func (s *Store) verify(ctx context.Context) (*Verified, error) {
	v := &verification{store: s, shards: make(map[string]bool)}
	v.found.Problems = []Problem{}
	v.state(ctx, s.State)
	for _, g := range s.State.Generations {
		if g.State != s.State.Number {
			state, err := readState(ctx, s.Path, g.State)
			if v.note(err) {
				v.state(ctx, state)
			}
		}
		v.generation(ctx, &g)
	}
	return &v.found, cmp.Or(ctx.Err(), v.denied)
}

// verification is the state of a Verify.
type verification struct {
	store  *Store
	found  Verified
	denied error           // what the process may not read
	shards map[string]bool // records that were checked
	length int             // segments that were checked
}

// note records an error as a problem, and reports whether there is none.
func (v *verification) note(err error) bool {
	var known *Error
	switch {
	case err == nil:
		return true
	case errors.Is(err, fs.ErrPermission):
		v.denied = err // that is no damage
	case errors.As(err, &known):
		v.found.Problems = append(v.found.Problems, Problem{known.Path, known.Reason})
	default:
		v.found.Problems = append(v.found.Problems, Problem{v.store.Path, err.Error()})
	}
	return false
}

// file compares a file with its record.
func (v *verification) file(ctx context.Context, path string, record model.OutputRecord) {
	if ctx.Err() != nil {
		return
	}
	if v.note(checkFile(ctx, path, record)) {
		v.found.Files++
	}
}

// state checks the segments and shards of a state.
func (v *verification) state(ctx context.Context, s *State) {
	for _, segment := range s.Segments[min(v.length, len(s.Segments)):] {
		v.file(ctx, v.store.segmentPath(segment.Number), hashed(segment.SHA256))
	}
	v.length = max(v.length, len(s.Segments))
	for _, shard := range s.Shards {
		if v.shards[shard.Record] {
			continue
		}
		v.shards[shard.Record] = true
		folder := v.store.shardFolder(shard.SHA256)
		content, _, err := readContent(ctx, folder, shard.Record)
		if !v.note(err) {
			continue
		}
		v.found.Files++
		for _, record := range content.Files {
			v.file(ctx, objects.Join(folder, record.Name), record)
		}
	}
}

// checkFolder compares the files of a shard's folder with its record.
func checkFolder(ctx context.Context, folder string, c *Content) error {
	for _, record := range c.Files {
		if err := checkFile(ctx, objects.Join(folder, record.Name), record); err != nil {
			return err
		}
	}
	return nil
}

// generation checks a generation: its manifest against the state, and its files as model.Verify does.
func (v *verification) generation(ctx context.Context, g *Generation) {
	path := v.store.GenerationPath(g.Number)
	v.file(ctx, objects.Join(path, model.ManifestFile), hashed(g.Manifest))
	_, err := model.Verify(ctx, path, func(name string, _ int64, err error) {
		var known *model.InputError
		switch {
		case name == model.ManifestFile:
		case errors.As(err, &known):
			v.note(&Error{Path: known.Path, Reason: known.Reason})
		case v.note(err):
			v.found.Files++
		}
	})
	if err != nil {
		v.note(&Error{Path: path, Reason: "cannot be read: " + err.Error()})
	}
}

// harmed reports whether the folder of a shard is not what was written: as far as its record and the presence of its
// files show, or, if whole is set, by the hashes of its files. In an object store, where every look is a request, it
// looks only then. Errors are those of reading, not of damage.
func (w *Writer) harmed(ctx context.Context, s *Shard, whole bool) (bool, error) {
	folder := w.shardFolder(s.SHA256)
	if !whole && objects.IsURL(folder) {
		return false, nil
	}
	content, _, err := readContent(ctx, folder, s.Record)
	if err == nil && whole {
		err = checkFolder(ctx, folder, content)
	}
	if err == nil && !whole {
		for _, file := range content.Files {
			if there, err := objects.Exists(ctx, objects.Join(folder, file.Name)); err != nil || !there {
				return err == nil, err
			}
		}
	}
	if known := new(Error); errors.As(err, &known) && known.Fault == Damaged {
		return true, nil
	}
	return false, err
}

// sameRecord gives a record that was written again the place in the vocabulary that the record of a hash had, and
// returns its bytes. If the hash still differs, it returns the record as it is: earlier states then miss theirs.
func (w *Writer) sameRecord(c *Content, sha256 string) ([]byte, error) {
	record, err := sealed.Encode(c)
	if err != nil || sha256 == "" || Digest(record) == sha256 {
		return record, err
	}
	for n := range len(w.segments) + 1 {
		then := *c
		then.Segments, then.Chain = n, lastChain(w.segments[:n])
		if again, err := sealed.Encode(&then); err != nil || Digest(again) == sha256 {
			c.Segments, c.Chain = then.Segments, then.Chain
			return again, err
		}
	}
	return record, nil
}

// recordOf returns the hash that the states give the record of a content; "" if none refers to it.
func (w *Writer) recordOf(ctx context.Context, sha string) (string, error) {
	for state, err := range w.states(ctx) {
		if err != nil {
			return "", err
		}
		if at := slices.IndexFunc(state.Shards, func(s Shard) bool { return s.SHA256 == sha }); at >= 0 {
			return state.Shards[at].Record, nil
		}
	}
	return "", nil
}
