// This file finds out which bytes of a Parquet file hold which columns of which rows.

package parquet

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/metadata"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/reading"
)

// Begins says which of the first bytes of a file show that it is Parquet.
func Begins(head []byte, _ int64) string {
	if bytes.HasPrefix(head, pages.Magic) {
		return "begins with PAR1"
	}
	return ""
}

// Load implements columns.Load.
func Load(_ context.Context, in reading.Shard, file access.Source) (*columns.File, error) {
	footer, err := pages.ReadFooter(file, file.Size())
	if err != nil {
		return nil, err
	}
	p := &plan{path: in.Path, footer: footer, size: file.Size()}
	return &columns.File{Tops: topsOf(footer.Schema, in.Columns), Writer: footer.GetCreatedBy(), Rows: footer.NumRows,
		Groups: len(footer.RowGroups), Enough: reading.PartBytes, Plan: p.groups, Decode: p.decode}, nil
}

// plan says where in a file the columns that are read are.
type plan struct {
	path   string
	footer *metadata.FileMetaData
	size   int64
	chunks [][]pages.Chunk // of each row group that has rows, those of the columns
}

// groups implements columns.File.
func (p *plan) groups(leaves []*columns.Leaf) (groups []columns.Group, err error) {
	p.chunks = nil
	row := int64(0)
	for i := range p.footer.RowGroups {
		place := fault.Error{Path: p.path, Group: i + 1}
		group := p.footer.RowGroup(i)
		g := columns.Group{Number: i + 1, FirstRow: row, Rows: group.NumRows()}
		if g.Rows < 0 || g.Rows > 1<<48-row {
			place.Err = fmt.Errorf("the number of rows %d is impossible", g.Rows)
			return nil, &place
		}
		row += g.Rows
		if group.NumColumns() != p.footer.Schema.NumColumns() {
			place.Err = fmt.Errorf("the row group has %d columns, the schema %d", group.NumColumns(),
				p.footer.Schema.NumColumns())
			return nil, &place
		}
		var chunks []pages.Chunk
		for _, leaf := range leaves {
			chunk, err := pages.PlanChunk(group, leaf.Index, p.footer.Schema.Column(leaf.Index), p.size)
			if err != nil {
				place.Column, place.Err = leaf.Name, err
				return nil, &place
			}
			chunks = append(chunks, chunk)
			g.Bytes += chunk.End - chunk.Start
		}
		if g.Rows > 0 {
			groups, p.chunks = append(groups, g), append(p.chunks, chunks)
		}
	}
	return groups, nil
}

// decode implements columns.File.
func (p *plan) decode(file access.Source, leaves []*columns.Leaf) columns.Decoder {
	codec := new(pages.Decompressor)
	var readers []*pages.ChunkReader
	d := columns.Decoder{Close: codec.Close, Begin: func(group int) error {
		for i, r := range readers {
			r.Open(file, p.chunks[group][i])
		}
		return nil
	}}
	for _, leaf := range leaves {
		r := pages.NewChunkReader(p.footer.Schema.Column(leaf.Index), codec)
		readers, d.Fillers = append(readers, r), append(d.Fillers, r)
	}
	return d
}
