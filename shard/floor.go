// This file reads the pages of Parquet files without decoding them: the least time that a reading can take.

package shard

import "context"

// floor decompresses the pages that a reader of the part would decode. A long table is read as it is.
func (part parquetPart) floor(ctx context.Context) (total int64, err error) {
	if part.plan.long {
		return part.in.floorBytes(ctx)
	}
	file, err := part.in.open(ctx)
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
			n, err := floorChunk(file, columns[i].leaf, chunk, &codec)
			total += n
			if err != nil {
				return total, &Error{Path: part.in.path, Group: group.number, Column: columns[i].name, Err: err}
			}
		}
	}
	return total, nil
}
