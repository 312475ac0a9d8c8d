// Package columns reads documents from files that store columns: from a row per document, with items in a list, map or
// list of structs, or from long tables. The packages of single formats describe a File and decode its columns, group by
// group, into runs of levels and values as Parquet has them; what the runs mean is known here only.
package columns

import (
	"context"
	"errors"
	"slices"
	"strings"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
	"anchorage/shard/internal/text"
)

// Top is a column at the top of a schema, as the choice of columns sees it, with what it is read from: its items, and
// the counts in its pairs; nil where there are none.
type Top struct {
	roles.Field
	Items, Counts *Leaf
	parts         []*Leaf // of the pairs
	names         string  // the part with names of the items; empty without one
}

// SetPairs makes the column one of pairs. inner describes their parts, and leaves are these.
func (t *Top) SetPairs(inner []roles.Field, leaves []*Leaf, wanted roles.Names) {
	items, counts := t.Field.SetPairs(inner, wanted)
	t.parts = leaves
	if at := wanted.NamesInPairs(t.Name, inner, items); at >= 0 {
		t.names = leaves[at].FullName()
	}
	if items < 0 {
		return
	}
	t.Items = leaves[items]
	if counts >= 0 {
		t.Counts = leaves[counts]
	}
}

// Group is a row group or a record batch.
type Group struct {
	Number         int   // of a row group, from 1; 0 of a record batch
	FirstRow, Rows int64 // FirstRow is within the file, from 0
	Bytes          int64 // of the columns that are read
}

// File is a file whose metadata have been read. It is not changed once made.
type File struct {
	Tops   []Top
	Writer string // what the file says of the program that wrote it
	Rows   int64
	Groups int
	Enough int64 // bytes from which a run of groups is worth a separate part

	// Plan finds some columns in all groups that have rows.
	Plan func(leaves []*Leaf) ([]Group, error)
	// Decode returns what decodes the columns, with a filler for each.
	Decode func(file access.Source, leaves []*Leaf) Decoder
}

// Decoder decodes columns of a file, one group after the other.
type Decoder struct {
	Fillers []Filler
	Begin   func(group int) error // of those that Plan has returned, from 0
	Close   func()
}

// Load reads the metadata of a file.
type Load func(ctx context.Context, in reading.Shard, file access.Source) (*File, error)

// chosen are the columns that are read. document and counts are nil where there are none.
type chosen struct {
	long                    bool // one row per document and item
	flat                    bool // documents and items are parts of pairs, of which each is a row
	document, items, counts *Leaf
	texts                   []*Leaf // the columns of texts, in place of items and counts
	names                   string  // the column of names beside the items
}

// leaves returns the columns, without those that do not exist.
func (c *chosen) leaves() (leaves []*Leaf) {
	for _, leaf := range append(slices.Clone(c.texts), c.items, c.counts, c.document) {
		if leaf != nil {
			leaves = append(leaves, leaf)
		}
	}
	return leaves
}

// chooserOf returns what chooses among the columns.
func chooserOf(tops []Top, wanted roles.Names) *roles.Chooser {
	fields := make([]roles.Field, len(tops))
	for i, top := range tops {
		fields[i] = top.Field
	}
	return roles.NewChooser(fields, wanted)
}

// choose returns the columns of documents, items and counts.
func choose(tops []Top, c *roles.Chooser) (found chosen, err error) {
	choice, err := c.Choose()
	if err != nil {
		return found, err
	}
	found.long, found.items, found.names = choice.Long, tops[choice.Items].Items, tops[choice.Items].names
	if at := c.ChooseItemNames(choice); at >= 0 {
		found.names = tops[at].Name
	}
	switch {
	case choice.Inner:
		found.counts = tops[choice.Items].Counts
	case choice.Counts >= 0:
		found.counts = tops[choice.Counts].Items
	}
	if choice.Document >= 0 {
		found.document = tops[choice.Document].Items
	}
	return found, nil
}

// chooseParts returns columns that are both parts of one column of pairs: the codes of items and their names.
func chooseParts(tops []Top, wanted roles.Names) (found chosen, are bool) {
	for _, top := range tops {
		found = chosen{long: true, flat: true}
		for _, part := range top.parts {
			switch part.FullName() {
			case wanted.Document:
				found.document = part
			case wanted.Items:
				found.items = part
			}
		}
		if found.document != nil && found.items != nil {
			return found, true
		}
	}
	return chosen{}, false
}

// opened reads the metadata of a shard and calls use.
func opened(ctx context.Context, in reading.Shard, load Load, use func(access.Source, *File) error) error {
	source, err := in.Open(ctx)
	if err != nil {
		return err
	}
	defer source.Close()
	return fault.In(ctx, in.Path, fault.Guard(func() error {
		file, err := load(ctx, in, source)
		if err == nil {
			err = use(source, file)
		}
		return err
	}))
}

// Describe returns what describes shards whose metadata load reads.
func Describe(load Load) func(context.Context, reading.Shard) (documents.Description, documents.Mapping, error) {
	return func(ctx context.Context, in reading.Shard) (d documents.Description, m documents.Mapping, err error) {
		d.Rows = -1
		err = opened(ctx, in, load, func(source access.Source, file *File) error {
			for _, top := range file.Tops {
				d.Columns = append(d.Columns, documents.Column{Name: top.Name, Type: top.Type})
			}
			d.Rows, d.Groups, d.Writer = file.Rows, file.Groups, file.Writer
			found, err := find(file, source, in)
			if place, is := errors.AsType[*fault.Error](err); is {
				d.First = place.First
			}
			m = documents.Mapping{Long: found.long, Documents: found.document.FullName(),
				Items: found.items.FullName(), Counts: found.counts.FullName(), ItemNames: found.names}
			for _, text := range found.texts {
				m.Texts = strings.TrimPrefix(m.Texts+","+text.Name, ",")
			}
			return err
		})
		return d, m, err
	}
}

// Parts returns what divides shards whose metadata load reads.
func Parts(load Load) func(context.Context, reading.Shard) ([]reading.Part, error) {
	return func(ctx context.Context, in reading.Shard) (parts []reading.Part, err error) {
		err = opened(ctx, in, load, func(source access.Source, file *File) error {
			t := &table{in: in, file: file}
			if t.chosen, err = find(file, source, in); err != nil {
				return err
			}
			if !t.long && !in.Names {
				t.document = nil
			}
			if t.groups, err = file.Plan(t.leaves()); err != nil {
				return err
			}
			parts = t.parts()
			return nil
		})
		return parts, err
	}
}

// table is what readers need to know of a file. It is not changed once made.
type table struct {
	chosen
	in     reading.Shard
	file   *File
	groups []Group
}

// parts makes parts of the groups: runs of neighbours that have enough bytes together. A long table is one part, whose
// number of rows says nothing about documents.
func (t *table) parts() (parts []reading.Part) {
	for from := 0; from < len(t.groups); {
		to, part := from, reading.Part{}
		for ; to < len(t.groups) && (part.Bytes < t.file.Enough || t.long); to++ {
			part.Bytes, part.Rows = part.Bytes+t.groups[to].Bytes, part.Rows+t.groups[to].Rows
		}
		if part.Open = (groupRun{t, from, to}).open; t.long {
			part.Rows = -1
		}
		parts, from = append(parts, part), to
	}
	return parts
}

// groupRun is a run of groups.
type groupRun struct {
	*table
	from, to int
}

// open opens the part in the layout of its shard.
func (part groupRun) open(w *access.Watch) (reading.Reader, error) {
	source, err := w.Open(part.in.Object)
	if err != nil {
		return nil, err
	}
	leaves, builder := part.leaves(), part.in.Builder()
	walk := walk{file: source, part: part, group: part.from, decoder: part.file.Decode(source, leaves)}
	for i, filler := range walk.decoder.Fillers {
		c := newColumn(leaves[i], filler)
		walk.columns = append(walk.columns, c)
		switch {
		case i < len(part.texts):
			walk.texts = append(walk.texts, c)
		case leaves[i] == part.items:
			walk.items = c
		case leaves[i] == part.counts:
			walk.counts = c
		default:
			walk.document = c
		}
	}
	switch {
	case part.texts != nil:
		return text.NewTexts(w, part.in, builder, &textRows{walk}), nil
	case part.long:
		return longtable.New(w, part.in, builder, &longRows{walk, &builder.Counter}), nil
	}
	return newReader(w, builder, walk), nil
}

// find returns the columns that are read. Texts are those asked for; without them, the columns of items and, where none
// is found, one whose strings have many words.
func find(file *File, source access.Source, in reading.Shard) (found chosen, err error) {
	found, err = findIn(file, source, in.Options)
	if fault.ReasonOf(err) != fault.Unspecified {
		place := &fault.Error{Path: in.Path, Err: err}
		var leaves []*Leaf
		for _, top := range file.Tops {
			if top.Shape == roles.Value && top.Items != nil {
				leaves, place.Columns = append(leaves, top.Items), append(place.Columns, top.Name)
			}
		}
		_ = firstRuns(file, source, leaves, func(i int, c *Column) {
			for row := range min(c.N, roles.FirstRows) {
				if len(place.First) == row {
					place.First = append(place.First, make([]string, len(leaves)))
				}
				if c.complete(1) {
					place.First[row][i] = roles.Shown(c.text())
				}
				c.skip(1)
			}
		}) // what cannot be read is not shown
		return found, place
	}
	return found, err
}

// findIn is find without rows beside its error.
func findIn(file *File, source access.Source, opts reading.Options) (found chosen, err error) {
	if parts, are := chooseParts(file.Tops, opts.Columns); are && opts.Scattered {
		return parts, nil
	}
	texts, c := opts.TextColumns(), chooserOf(file.Tops, opts.Columns)
	if len(texts) == 0 {
		found, err = choose(file.Tops, c)
		doubtful := err != nil || found.long && roles.IsNameOfItem(found.items.Name)
		if asked := opts.Columns.Items != "" || opts.Columns.Counts != ""; (asked || !doubtful) && !opts.Tokenize {
			return found, err
		}
		names, looking := likelyTexts(file, source)
		if looking == nil && len(names) == 0 && opts.Tokenize {
			return found, c.NoTexts()
		}
		if looking != nil || len(names) == 0 {
			return found, err
		}
		texts = names[:1]
	}
	found = chosen{}
	places, at, err := c.ChooseTexts(texts)
	for _, place := range places {
		found.texts = append(found.texts, file.Tops[place].Items)
	}
	if at >= 0 {
		found.document = file.Tops[at].Items
	}
	return found, err
}

// likelyTexts returns the columns whose first values are texts, the likeliest first.
func likelyTexts(file *File, source access.Source) (names []string, err error) {
	var leaves []*Leaf
	for _, top := range file.Tops {
		if top.Shape == roles.Value && top.Kind == roles.Bytes && !top.Items.Decimal {
			leaves, names = append(leaves, top.Items), append(names, top.Name)
		}
	}
	values := make([][][]byte, len(leaves))
	err = firstRuns(file, source, leaves, func(i int, c *Column) {
		values[i] = c.Bytes[:min(c.Present, text.TextRows)]
	})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, i := range text.FindTexts(names, values) {
		found = append(found, names[i])
	}
	return found, nil
}

// firstRuns calls use with the first run of each of some columns.
func firstRuns(file *File, source access.Source, leaves []*Leaf, use func(i int, c *Column)) error {
	if len(leaves) == 0 {
		return nil
	}
	groups, err := file.Plan(leaves)
	if err != nil || len(groups) == 0 {
		return err
	}
	decoder := file.Decode(source, leaves)
	defer decoder.Close()
	return fault.Guard(func() error {
		if err := decoder.Begin(0); err != nil {
			return err
		}
		for i, filler := range decoder.Fillers {
			c := newColumn(leaves[i], filler)
			if err := c.next(); err != nil {
				return err
			}
			use(i, c)
		}
		return nil
	})
}
