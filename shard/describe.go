// This file says what a shard holds and how it will be read, without reading its values.

package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Description says what a shard holds and how it will be read.
type Description struct {
	Columns []Column `json:"columns,omitempty"` // of Parquet, Arrow and CSV; of JSONL the fields of the first line
	Rows    int64    `json:"rows"`              // -1 where only reading tells
	Groups  int      `json:"groups,omitempty"`  // row groups of Parquet, record batches of Arrow
	Writer  string   `json:"writer,omitempty"`  // what a Parquet file says of the program that wrote it
	Reading string   `json:"reading,omitempty"` // what is taken for documents, items and counts
	Problem string   `json:"problem,omitempty"` // why the shard cannot be read as it is
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// Describe returns what is known of the shard before any value is read. What keeps it from being read is the
// description's Problem; the error is ctx's alone.
func (s Shard) Describe(ctx context.Context) (Description, error) {
	d := Description{Rows: -1}
	var err error
	switch s.Format {
	case Parquet:
		err = d.parquet(ctx, s)
	case Arrow:
		err = d.arrow(ctx, s)
	case CSV, JSONL:
		err = d.text(ctx, s)
	default:
		d.Reading = readings[s.Format]
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return d, err
	}
	if err != nil {
		d.Problem = err.Error()
	}
	return d, nil
}

// readings say of formats without columns how they are read.
var readings = map[Format]string{
	Baskets:      "a document per line: item ids separated by blanks",
	Text:         "a document per line: its words, in lower case",
	Docword:      "a document per number in the first column of the lines",
	MatrixMarket: "a document per row of the matrix, or per column if so asked",
	LibSVM:       "a document per line: index:count pairs after a label",
	LDAC:         "a document per line: index:count pairs after their number",
	VW:           "a document per line: item:count pairs after a bar",
}

// parquet describes a Parquet file.
func (d *Description) parquet(ctx context.Context, s Shard) error {
	file, footer, err := openFooter(ctx, s.object)
	if err != nil {
		return err
	}
	defer file.Close()
	var found parquetColumns
	err = guard(func() (err error) {
		d.parquetSchema(footer)
		found, err = findColumns(footer.Schema, s.options)
		return err
	})
	if err != nil {
		return err
	}
	pairs := found.counts != nil && found.counts.name == found.items.name && !found.long
	d.describe(found.long, found.document.fullName(false), found.items.fullName(pairs), found.counts.fullName(pairs))
	return nil
}

func (d *Description) parquetSchema(footer *metadata.FileMetaData) {
	d.Rows, d.Groups, d.Writer = footer.NumRows, len(footer.RowGroups), footer.GetCreatedBy()
	root := footer.Schema.Root()
	for i := range root.NumFields() {
		d.Columns = append(d.Columns, Column{root.Field(i).Name(), parquetTypeName(root.Field(i))})
	}
}

// parquetTypeName describes the type of a column, with its parts in angle brackets.
func parquetTypeName(node schema.Node) string {
	name := strings.ToLower(node.RepetitionType().String()) + " "
	if name == "required " {
		name = ""
	}
	if group, ok := node.(*schema.GroupNode); ok {
		var parts []string
		for i := range group.NumFields() {
			parts = append(parts, group.Field(i).Name()+" "+parquetTypeName(group.Field(i)))
		}
		if logical := group.LogicalType(); !isPlain(logical) {
			name += strings.ToLower(logical.String()) + " "
		}
		return name + "<" + strings.Join(parts, ", ") + ">"
	}
	primitive := node.(*schema.PrimitiveNode)
	name += strings.ToLower(primitive.PhysicalType().String())
	if logical := node.LogicalType(); !isPlain(logical) {
		name += " (" + strings.ToLower(logical.String()) + ")"
	}
	return name
}

// fullName returns the column's name, "" of none, with that of the field within pairs.
func (c *listColumn) fullName(pairs bool) string {
	switch {
	case c == nil:
		return ""
	case pairs:
		return c.name + "." + c.leaf.Name()
	}
	return c.name
}

// describe says in words what is read.
func (d *Description) describe(long bool, document, items, counts string) {
	if counts == "" {
		counts = "1 for each"
	} else {
		counts = fmt.Sprintf("%q", counts)
	}
	if long {
		d.Reading = fmt.Sprintf("a row per document and item: documents %q, items %q, counts %s", document, items, counts)
		return
	}
	d.Reading = fmt.Sprintf("a document per row: items %q, counts %s", items, counts)
	if document != "" {
		d.Reading += fmt.Sprintf(", ids %q", document)
	}
}

// arrow describes an Arrow file.
func (d *Description) arrow(ctx context.Context, s Shard) error {
	file, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	x := arrowIndex{ctx: ctx, file: file, size: file.Size()}
	var found arrowColumns
	err = guard(func() error {
		if err := x.read(); err != nil {
			return err
		}
		for _, f := range x.plan.schema.fields {
			d.Columns = append(d.Columns, Column{f.name, f.typeName()})
		}
		d.Rows, d.Groups = x.row, len(x.plan.batches)
		found, err = findArrowColumns(x.plan.schema, s.options)
		return err
	})
	if err != nil {
		return fileError(s.Path, err)
	}
	d.describe(found.long, found.document.fullName(), found.items.fullName(), found.counts.fullName())
	return nil
}

func (c *arrowColumn) fullName() string {
	switch {
	case c == nil:
		return ""
	case c.pair != nil:
		return c.name + "." + c.value.name
	}
	return c.name
}

// arrowTypeNames are the names of the types by their numbers in the union Type.
var arrowTypeNames = [...]string{1: "null", "int", "float", "binary", "utf8", "bool", "decimal", "date", "time", "timestamp",
	"interval", "list", "struct", "union", "fixed_size_binary", "fixed_size_list", "map", "duration", "large_binary", "large_utf8",
	"large_list", "run_end_encoded", "binary_view", "utf8_view", "list_view", "large_list_view"}

// typeName describes the type of a field, with its parts in angle brackets.
func (f *arrowField) typeName() string {
	name := arrowTypeNames[f.typ]
	switch {
	case f.typ == arrowInt && f.signed:
		name = fmt.Sprintf("int%d", f.bits)
	case f.typ == arrowInt:
		name = fmt.Sprintf("uint%d", f.bits)
	case f.typ == arrowFloat:
		name = fmt.Sprintf("float%d", 16<<min(max(f.float, 0), 2))
	}
	var parts []string
	for _, child := range f.children {
		parts = append(parts, child.name+" "+child.typeName())
	}
	if len(parts) > 0 {
		name += "<" + strings.Join(parts, ", ") + ">"
	}
	if f.dictionary {
		name = fmt.Sprintf("dictionary of %s", name)
	}
	return name
}

// text describes CSV by its header and JSON lines by the first one.
func (d *Description) text(ctx context.Context, s Shard) error {
	stream, err := openText(ctx, s.object)
	if err != nil {
		return err
	}
	defer stream.Close()
	head, err := bufio.NewReaderSize(stream, sniffBytes).Peek(sniffBytes)
	if err != nil && err != io.EOF {
		return &Error{Path: s.Path, Row: 1, Err: err}
	}
	line, _ := cutLine(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), "\r\n \t"))
	if s.Format == JSONL {
		return d.json(line, s)
	}
	_, names, ok := csvHeader(line)
	if !ok {
		return &Error{Path: s.Path, Row: 1, Err: errors.New("the header does not name two columns or more")}
	}
	for _, name := range names {
		d.Columns = append(d.Columns, Column{Name: name})
	}
	choice, err := csvColumns(names, s.options)
	if err != nil {
		return &Error{Path: s.Path, Row: 1, Err: err}
	}
	counts := ""
	if choice.counts >= 0 {
		counts = names[choice.counts]
	}
	d.describe(true, names[choice.document], names[choice.items], counts)
	return nil
}

// json describes JSON lines by one of them.
func (d *Description) json(line []byte, s Shard) error {
	if len(line) == 0 {
		d.Reading = "a document per line; there is none"
		return nil
	}
	p := &jsonLines{builder: newBuilder(s.options), options: s.options}
	p.words.builder = p.builder
	p.builder.begin(new(Batch), 0)
	err := p.document(line)
	for _, m := range p.members {
		d.Columns = append(d.Columns, Column{Name: m.name})
	}
	if len(line) >= sniffBytes {
		d.Reading = "a document per line; the first line is too long to be shown"
		return nil
	}
	if err != nil {
		return &Error{Path: s.Path, Row: 1, Err: err}
	}
	d.describe(false, p.name, p.items, p.counts)
	if items, found, _ := p.member(p.items); found && items.kind() == '{' {
		d.Reading = fmt.Sprintf("a document per line: an object %q of items and their counts", p.items)
	}
	return nil
}
