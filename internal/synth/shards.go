// This file writes corpora as Parquet shards.

package synth

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/shard/tablefile"
)

// ItemID returns the id of item i in vocabularies and shards. Ids sort in the order of the items.
func ItemID(i int) string { return fmt.Sprintf("i%07d", i) }

// ParseItem returns the item with the given id, and whether the id has the form of ItemID.
func ParseItem(id string) (item int, ok bool) {
	if len(id) != len("i0000000") || id[0] != 'i' {
		return 0, false
	}
	n, err := strconv.ParseUint(id[1:], 10, 32)
	return int(n), err == nil
}

// ItemsOf returns the drawn item of every item of a vocabulary. The error names one that was not drawn.
func ItemsOf(vocabulary *corpus.Vocabulary) ([]int32, error) {
	items := make([]int32, vocabulary.Len())
	for i := range items {
		item, ok := ParseItem(vocabulary.ID(i))
		if !ok {
			return nil, fmt.Errorf("item %q was not drawn", vocabulary.ID(i))
		}
		items[i] = int32(item)
	}
	return items, nil
}

// WriteShards writes all documents, in order, to the given number of Parquet files in dir, which must exist. Each file
// is complete or absent. The error is the first error of writing, or that of ctx. Document m has the id "d" + m.
func (c *Drawn) WriteShards(ctx context.Context, dir string, shards int) error {
	ids := make([]string, c.Model.Items)
	for i := range ids {
		ids[i] = ItemID(i)
	}
	return kernel.Parallel(ctx, c.Model.Workers, shards, func(s int) error {
		first, last := c.Model.Documents*s/shards, c.Model.Documents*(s+1)/shards
		return durable.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%05d.parquet", s)),
			func(w io.Writer) error { return c.writeShard(ctx, w, ids, first, last) })
	})
}

// writeShard writes documents [first, last) with the ids of items.
func (c *Drawn) writeShard(ctx context.Context, w io.Writer, ids []string, first, last int) error {
	writer, err := tablefile.NewDocumentWriter(w)
	if err != nil {
		return err
	}
	m := c.newMaker()
	var docs corpus.Documents
	var items []string
	for start := first; start < last; start += batchDocuments {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.fill(&docs, start, min(start+batchDocuments, last))
		for d := range docs.Documents() {
			indices, counts := docs.Row(d)
			items = items[:0]
			for _, i := range indices {
				items = append(items, ids[i])
			}
			if err := writer.Write("d"+strconv.Itoa(start+d), items, counts); err != nil {
				return err
			}
		}
	}
	return writer.Close()
}
