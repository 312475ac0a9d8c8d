// This file reads the pages of Parquet files without decoding them: the least time that a reading can take.

package parquet

import (
	"context"

	"anchorage/shard/internal/fault"
	"anchorage/shard/internal/pages"
)

// floor decompresses the pages that a reader of the part would decode. A long table is read as it is.
func (part groupRun) floor(ctx context.Context) (total int64, err error) {
	if part.plan.long {
		return part.in.FloorBytes(ctx)
	}
	file, err := part.in.Open(ctx)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var codec pages.Decompressor
	defer codec.Close()
	columns := []*pages.Leaf{part.plan.items}
	if part.plan.counts != nil {
		columns = append(columns, part.plan.counts)
	}
	for _, group := range part.plan.groups[part.from:part.to] {
		for i, chunk := range []pages.Chunk{group.items, group.counts}[:len(columns)] {
			n, err := pages.FloorChunk(file, columns[i].Leaf, chunk, &codec)
			total += n
			if err != nil {
				return total, &fault.Error{Path: part.in.Path, Group: group.number, Column: columns[i].Name, Err: err}
			}
		}
	}
	return total, nil
}
