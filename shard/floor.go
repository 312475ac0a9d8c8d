// This file reads shards without decoding them: the least time that a reading can take.

package shard

import (
	"context"
	"io"
)

// Floor reads and decompresses the bytes that a Reader of the part would, decodes nothing, and returns the number of
// decompressed bytes. The record batches of Arrow shards, and long tables in Parquet, are read as they are.
func Floor(ctx context.Context, part Part) (int64, error) {
	switch {
	case part.Shard.Format == Parquet && part.plan.items != nil && !part.plan.long:
		return floorParquet(ctx, part)
	case part.Shard.Format == Parquet || part.Shard.Format == Arrow:
		file, err := part.Shard.stream(ctx)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		return discard(file)
	}
	text, err := openText(ctx, part.Shard.object)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	n, err := discard(text)
	return n, fileError(part.Shard.Path, err)
}

// discard reads to the end, in pieces as large as those of the readers.
func discard(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, lineBlock))
}

func floorParquet(ctx context.Context, part Part) (total int64, err error) {
	file, err := part.Shard.open(ctx)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var codec decompressor
	defer codec.close()
	columns := []*listColumn{part.plan.items}
	if part.plan.counts != nil {
		columns = append(columns, part.plan.counts)
	}
	for _, group := range part.plan.groups[part.from:part.to] {
		for i, chunk := range []chunkPlan{group.items, group.counts}[:len(columns)] {
			pages := pageReader{codec: &codec}
			pages.reset(file, columns[i].leaf, chunk)
			for {
				more, err := pages.next()
				if err != nil {
					return total, &Error{Path: part.Shard.Path, Group: group.number, Column: columns[i].name, Err: err}
				}
				if !more {
					break
				}
				total += int64(len(pages.data))
			}
			total += int64(len(pages.dictBytes))
		}
	}
	return total, nil
}
