// This file gives documents of shards the ids by which users know them, and finds them by these.

package main

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"anchorage/shard"
)

// documentPlace is where a document is: its shard, and its number there, both from 0.
type documentPlace struct {
	shard int
	row   int64
}

// fallbackID is the id of a document where its shard has none: the shard and the number from 1.
func fallbackID(shards []shard.Shard, at documentPlace) string {
	return shards[at.shard].Path + ":" + strconv.FormatInt(at.row+1, 10)
}

// documentIDs returns the ids of documents. It reads the shards that hold them, as far as needed. The shards must have been opened with
// names.
func documentIDs(ctx context.Context, shards []shard.Shard, places []documentPlace) ([]string, error) {
	ids := make([]string, len(places))
	wanted := make(map[int][]int) // by shard
	for i, at := range places {
		ids[i] = fallbackID(shards, at)
		wanted[at.shard] = append(wanted[at.shard], i)
	}
	for s := range shards {
		left := len(wanted[s])
		if left == 0 {
			continue
		}
		err := eachBatch(ctx, shards[s], func(b *shard.Batch) bool {
			for _, i := range wanted[s] {
				if d := places[i].row - b.FirstRow; d >= 0 && d < int64(b.Documents()) {
					if name := b.Names.ID(int(d)); len(name) > 0 {
						ids[i] = string(name)
					}
					left--
				}
			}
			return left > 0
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// findDocument returns the place of the first document with an id. found is false if there is none.
func findDocument(ctx context.Context, shards []shard.Shard, id string) (at documentPlace, found bool, err error) {
	for s := range shards {
		row := int64(-1) // of the document that fallbackID would give the id
		if text, is := strings.CutPrefix(id, shards[s].Path+":"); is {
			if number, err := strconv.ParseInt(text, 10, 64); err == nil {
				row = number - 1
			}
		}
		err := eachBatch(ctx, shards[s], func(b *shard.Batch) bool {
			for d := range b.Documents() {
				name := b.Names.ID(d)
				if string(name) == id || len(name) == 0 && b.FirstRow+int64(d) == row {
					at, found = documentPlace{s, b.FirstRow + int64(d)}, true
					return false
				}
			}
			return true
		})
		if err != nil || found {
			return at, found, err
		}
	}
	return at, false, nil
}

// eachBatch calls fn with the batches of a shard in their order, until fn returns false.
func eachBatch(ctx context.Context, s shard.Shard, fn func(*shard.Batch) bool) error {
	parts, err := s.Parts(ctx)
	if err != nil {
		return err
	}
	for _, part := range parts {
		more, err := partBatches(ctx, part, fn)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// partBatches is eachBatch of a part. more is false if fn ended it.
func partBatches(ctx context.Context, part shard.Part, fn func(*shard.Batch) bool) (more bool, err error) {
	reader, err := shard.Open(ctx, part)
	if err != nil {
		return false, err
	}
	defer reader.Close() // it was only read
	var batch shard.Batch
	for {
		switch err := reader.Next(&batch); {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, err
		case !fn(&batch):
			return false, nil
		}
	}
}
