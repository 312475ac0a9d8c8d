// This file reads what people say of items: names that they have beside their codes, and labels of their categories.

package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/shard"
	"anchorage/shard/fault"
)

// ItemNames are names of items by id: of each item its most frequent one, among equals the first in the order of bytes.
// The zero value has none.
type ItemNames struct {
	ids   *corpus.Vocabulary
	names []candidates
	more  int64 // rows of other names
}

// candidates are names that an item goes by, the first mostNames in order of appearance: most items have one.
type candidates []candidate

type candidate struct {
	name string
	rows int64
}

const (
	mostNames = 8
	// lookedAt is how many shards without names show that others have none, since looking takes a request each.
	lookedAt = 16
	// constant is the least share of rows with the most frequent name of their item in a column that nobody asked for:
	// otherwise it names something else, such as the customer.
	constant = 0.8
	// nameBytes is about how many bytes an item takes with a name, and reserveNames how many ask for memory at once.
	nameBytes, reserveNames = 150, 1 << 16
)

// ReadItemNames reads the names in shards whose mappings have ItemNames; nil if none has. A shard that can be read once
// has none. given says that their column was asked for, and so must be there. The memory is about that of the ids.
func ReadItemNames(ctx context.Context, shards []shard.Shard, given string) (*ItemNames, error) {
	var n ItemNames
	for i, s := range shards {
		if i == lookedAt && given == "" && n.ids == nil {
			break
		}
		mapping, err := s.Mapping(ctx)
		if err != nil {
			return nil, err
		}
		if mapping.ItemNames == "" || s.Path == "-" {
			continue
		}
		if err := n.read(ctx, s.ItemNames(mapping.Items, mapping.ItemNames), math.MaxInt); err != nil {
			return nil, err
		}
	}
	share := n.choose()
	if given != "" && given != shard.NoNames && n.ids == nil && len(shards) > 0 {
		err := fault.Because(fault.NamesMissing, "no column %q holds names beside the codes of items", given)
		if shards[0].Path == "-" {
			err = errors.New("standard input is read once, and names need another pass: save it to a file")
		}
		return nil, inputError(shards[0].Path, 0, err)
	}
	if n.ids == nil || given == "" && share < constant { // nobody asked for names of other things
		return nil, nil
	}
	return &n, nil
}

// ReadItemNamesFile reads names from a table of items and names: CSV with a header, Parquet or Arrow. A text is in
// UTF-8 or in the encoding, as in shard.Options, of the documents.
func ReadItemNamesFile(ctx context.Context, path, encoding string) (*ItemNames, error) {
	shards, err := itemNamesFile(ctx, path, encoding)
	if err != nil {
		return nil, err
	}
	var n ItemNames
	for _, s := range shards {
		if err := n.read(ctx, s, math.MaxInt); err != nil {
			return nil, err
		}
	}
	if n.choose(); n.ids == nil {
		return nil, inputError(path, 0, errors.New("it has no names"))
	}
	return &n, nil
}

// CheckItemNamesFile returns the error of ReadItemNamesFile about a file that is no such table, without reading it.
func CheckItemNamesFile(ctx context.Context, path, encoding string) error {
	_, err := itemNamesFile(ctx, path, encoding)
	return err
}

// itemNamesFile returns a file as shards of items and names.
func itemNamesFile(ctx context.Context, path, encoding string) ([]shard.Shard, error) {
	options := shard.Options{KeepBad: true, Encoding: encoding}
	shards, err := shard.Discover(ctx, []string{path}, options)
	if err != nil {
		return nil, err
	}
	if f := shards[0].Format; f != shard.Parquet && f != shard.Arrow {
		options.KeepBad, options.Format = false, shard.CSV
		if shards, err = shard.Discover(ctx, []string{path}, options); err != nil {
			return nil, err
		}
	}
	for i, s := range shards {
		d, err := s.Describe(ctx)
		if err != nil {
			return nil, err
		}
		items, names := d.ItemNames()
		if names == "" && encoding != "" { // it may be in UTF-8
			return itemNamesFile(ctx, path, "")
		}
		if names == "" {
			return nil, inputError(s.Path, 0, errors.New("it is no table with a header, of items and their names"))
		}
		shards[i] = s.ItemNames(items, names)
	}
	return shards, nil
}

// read takes the names of a shard of items and names, of at least the first entries, if it has more.
func (n *ItemNames) read(ctx context.Context, s shard.Shard, entries int) error {
	for b, err := range batches(ctx, s) {
		if err != nil {
			return err
		}
		for d := range b.Documents() {
			for x := b.Offsets[d]; x < b.Offsets[d+1]; x++ {
				name := bytes.TrimSpace(b.Dictionary.ID(int(b.Items[x])))
				if err := n.add(b.Names.ID(d), name, int64(b.Counts[x])); err != nil {
					return err
				}
			}
		}
		if entries -= len(b.Items); entries <= 0 {
			break
		}
	}
	return nil
}

// shownNames returns the names of items that a fit of a shard would show, as far as sampled entries tell; nil if it has
// none.
func shownNames(ctx context.Context, s shard.Shard, m *shard.Mapping, entries int) (*ItemNames, error) {
	if m == nil || m.ItemNames == "" || s.Path == "-" {
		return nil, nil
	}
	n := new(ItemNames)
	if err := n.read(ctx, s.ItemNames(m.Items, m.ItemNames), entries); err != nil {
		return nil, err
	}
	if n.choose() < constant && s.NamesColumn() == "" {
		return nil, nil
	}
	return n, nil
}

// add counts a name of an item.
func (n *ItemNames) add(id, name []byte, rows int64) error {
	if len(name) == 0 || len(id) == 0 {
		return nil
	}
	if n.ids == nil {
		n.ids = corpus.NewVocabulary()
	}
	i := int(n.ids.Intern(id))
	if i == len(n.names) {
		if i%reserveNames == reserveNames-1 {
			if err := process.Reserve(nameBytes * reserveNames); err != nil {
				return err
			}
		}
		n.names = append(n.names, candidates{{string(name), rows}})
		return nil
	}
	of := n.names[i]
	at := slices.IndexFunc(of, func(c candidate) bool { return c.name == string(name) })
	switch {
	case at >= 0:
		of[at].rows += rows
	case len(of) < mostNames:
		n.names[i] = append(of, candidate{string(name), rows})
	default:
		n.more += rows
	}
	return nil
}

// choose keeps one name of every item, and returns the share of the rows that have it.
func (n *ItemNames) choose() float64 {
	kept, all := int64(0), n.more
	for i, of := range n.names {
		best := of[0]
		for _, c := range of {
			all += c.rows
			if c.rows > best.rows || c.rows == best.rows && c.name < best.name {
				best = c
			}
		}
		kept += best.rows
		n.names[i] = candidates{best}
	}
	return float64(kept) / float64(max(all, 1))
}

// Of returns the name of an item, "" without one. Several goroutines may call it at once.
func (n *ItemNames) Of(id []byte) string {
	if n == nil || n.ids == nil {
		return ""
	}
	if i, known := n.ids.Lookup(id); known {
		return n.names[i][0].name
	}
	return ""
}

// Labels are labels of the items of a vocabulary: pair x gives item Items[x] the label Names[Labels[x]]. Pairs are
// distinct. An item may have several labels, and most have none where the labels are those of something else.
type Labels struct {
	Items   []int32
	Labels  []int32
	Names   []string // of the labels that an item of the vocabulary has, in order of appearance
	Listed  int      // items in the file
	Unknown int      // of these, items that are not in the vocabulary
}

// LabelColumns name the columns of a file of labels.
type LabelColumns struct{ Item, Label string }

// ReadLabels reads the labels of items from a table: a CSV or TSV file with a header, JSON lines, Parquet or Arrow, as
// shards are read, with a row per item and label in any order, or with a list of labels per item. The error is a
// *shard.Error, which names the row, or that of ctx.
func ReadLabels(ctx context.Context, path string, columns LabelColumns,
	vocabulary *corpus.Vocabulary) (*Labels, error) {
	// A label may hold any sign, so no cell is taken for a list.
	options := shard.Options{DocumentColumn: columns.Item, ItemsColumn: columns.Label, CountsColumn: shard.NoCounts,
		Group: true, Names: true, Separator: noSeparator}
	shards, err := shard.Discover(ctx, []string{path}, options)
	if err != nil {
		return nil, err
	}
	l := &labelling{vocabulary: vocabulary, numbers: make(map[string]int32), labels: new(Labels)}
	for _, s := range shards {
		mapping, err := s.Mapping(ctx)
		if err != nil {
			return nil, err
		}
		if mapping.Documents == "" {
			return nil, inputError(s.Path, 0, fmt.Errorf("it is no table of items and labels with the columns %q and %q",
				columns.Item, columns.Label))
		}
		for b, err := range batches(ctx, s) {
			if err == nil {
				err = l.take(s.Path, b)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if l.labels.Listed == 0 {
		return nil, inputError(path, 0, errors.New("it has no labels"))
	}
	return l.labels, nil
}

// noSeparator is a sign that no text holds.
const noSeparator = "\x00"

// labelling is the reading of labels under way.
type labelling struct {
	vocabulary *corpus.Vocabulary
	numbers    map[string]int32 // of the labels
	labels     *Labels
}

// take takes the labels of a batch, in which a document is an item.
func (l *labelling) take(path string, batch *shard.Batch) error {
	for d := range batch.Documents() {
		id, codes := batch.Names.ID(d), batch.Items[batch.Offsets[d]:batch.Offsets[d+1]]
		switch {
		case len(id) == 0:
			return inputError(path, batch.FirstRow+int64(d)+1, errors.New("a row has no item"))
		case len(codes) == 0:
			continue
		}
		l.labels.Listed++
		item, known := l.vocabulary.Lookup(id)
		if !known {
			l.labels.Unknown++
			continue
		}
		for _, code := range codes {
			name := string(batch.Dictionary.ID(int(code)))
			number, known := l.numbers[name]
			if !known {
				number = int32(len(l.labels.Names))
				l.numbers[name] = number
				l.labels.Names = append(l.labels.Names, name)
			}
			l.labels.Items, l.labels.Labels = append(l.labels.Items, item), append(l.labels.Labels, number)
		}
	}
	return nil
}
