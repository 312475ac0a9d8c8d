// Package parquet describes Parquet files to package columns, which reads documents from them. Package pages does the
// decoding.
package parquet

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
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

// topsOf returns what is at the top level of a schema.
func topsOf(s *schema.Schema, wanted roles.Names) (tops []columns.Top) {
	first := 0 // leaf of the field
	for i := range s.Root().NumFields() {
		node := s.Root().Field(i)
		n := countLeaves(node)
		var under []*columns.Leaf
		nested := int16(0)
		for leaf := first; leaf < first+n; leaf++ {
			under = append(under, pages.LeafOf(s, node.Name(), leaf))
			nested = max(nested, s.Column(leaf).MaxRepetitionLevel())
		}
		first += n
		tops = append(tops, topOf(node, under, nested, wanted))
	}
	return tops
}

func countLeaves(node schema.Node) int {
	group, ok := node.(*schema.GroupNode)
	if !ok {
		return 1
	}
	n := 0
	for i := range group.NumFields() {
		n += countLeaves(group.Field(i))
	}
	return n
}

// topOf describes a node at the top level, whose leaves are under it, in nested lists at most.
func topOf(node schema.Node, under []*columns.Leaf, nested int16, wanted roles.Names) columns.Top {
	top := columns.Top{Field: roles.Field{Name: node.Name(), Type: typeName(node)}}
	element, pairs, ok := pages.Repeated(node)
	switch {
	case len(under) == 1 && nested == 0 && node.Type() == schema.Primitive:
		top.Shape, top.Kind, top.Items = roles.Value, under[0].Kind, under[0]
		return top
	case !ok || len(under) == 0 || nested != 1:
		return top
	case pairs == nil:
		under[0].Element = element
		top.Shape, top.Kind, top.Items = roles.List, under[0].Kind, under[0]
		return top
	}
	if len(under) != pairs.NumFields() {
		return top // something is nested in the pairs
	}
	var inner []roles.Field
	for i, leaf := range under {
		leaf.Element, leaf.Part = element, pairs.Field(i).Name()
		inner = append(inner, roles.Field{Name: leaf.Part, Shape: roles.Value, Kind: leaf.Kind})
	}
	top.SetPairs(inner, under, wanted)
	return top
}

// typeName describes the type of a column, with its parts in angle brackets.
func typeName(node schema.Node) string {
	name := strings.ToLower(node.RepetitionType().String()) + " "
	if name == "required " {
		name = ""
	}
	if group, ok := node.(*schema.GroupNode); ok {
		var parts []string
		for i := range group.NumFields() {
			parts = append(parts, group.Field(i).Name()+" "+typeName(group.Field(i)))
		}
		if logical := group.LogicalType(); !pages.IsPlain(logical) {
			name += strings.ToLower(logical.String()) + " "
		}
		return name + "<" + strings.Join(parts, ", ") + ">"
	}
	primitive := node.(*schema.PrimitiveNode)
	name += strings.ToLower(primitive.PhysicalType().String())
	if logical := node.LogicalType(); !pages.IsPlain(logical) {
		name += " (" + strings.ToLower(logical.String()) + ")"
	}
	return name
}
