// This file reads shards again whose folders are damaged. The folders become what they were, so that earlier states can
// still refer to them.

package store

import (
	"context"
	"errors"
	"slices"

	"anchorage/internal/objects"
	"anchorage/internal/sealed"
)

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
