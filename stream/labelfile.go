// This file reads labels of items: which categories people have given to them.

package stream

import (
	"context"
	"errors"
	"fmt"

	"anchorage/corpus"
	"anchorage/shard"
)

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
