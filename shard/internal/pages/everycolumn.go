// This file decodes whole Parquet files, whatever their columns mean.

package pages

import (
	"github.com/apache/arrow/go/v17/parquet/metadata"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/roles"
)

// EveryColumn decodes every column of a file that is of a type which is read, and calls fn with the path of each, the
// number of levels that were decoded, and why no more were. It shows whether a file is sound beyond what documents need
// of it.
func EveryColumn(file access.Source, footer *metadata.FileMetaData, fn func(path string, levels int, err error)) {
	var codec Decompressor
	defer codec.Close()
	for i := range footer.Schema.NumColumns() {
		leaf := footer.Schema.Column(i)
		if KindOf(leaf) == roles.Other || leaf.MaxRepetitionLevel() > 1 {
			continue
		}
		levels := 0
		err := fault.Guard(func() error {
			for g := range footer.RowGroups {
				chunk, err := PlanChunk(footer.RowGroup(g), i, leaf, file.Size())
				if err != nil {
					return err
				}
				c := NewChunkReader(leaf, &codec)
				c.Open(file, chunk)
				for {
					if err := c.Fill(); err != nil {
						return err
					}
					if c.N == 0 {
						break
					}
					levels += c.N
				}
			}
			return nil
		})
		fn(leaf.Path(), levels, err)
	}
}
