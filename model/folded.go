// This file holds the items that shaped no topics, folded.parquet: how they are written, in blocks, and how questions
// about items find them.

package model

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/shard/tablefile"
)

const foldedFile = "folded.parquet"

// FoldRecord says what folded.parquet has: the items that were read and that pruning left out, those of most documents
// first.
type FoldRecord struct {
	Items  int  `json:"items"`
	Topics bool `json:"topics"` // they have topics and a reliability, and not only counts
	Names  bool `json:"names,omitempty"`
}

// WriteFolded writes folded.parquet. next returns the next rows of the given number, a slice per column: ids
// ([]string), df and tf in all documents read ([]int64), with names those ([]string), and with topics reliabilities
// ([]float64) and mixtures, K values for each item ([]float32). They are valid until it is called again. k is the
// number of topics.
func (o *Output) WriteFolded(record FoldRecord, k int, next func(rows int) ([]any, error)) error {
	return o.WriteFile(foldedFile, func(w io.Writer) error {
		fields := foldedFields(&record, k)
		return tablefile.WriteTable(w, fields, record.Items, groupRows, func(first, last int) ([]any, error) {
			columns, err := next(last - first)
			return columns, cmp.Or(err, o.ctx.Err())
		})
	})
}

// foldedFields are the columns of folded.parquet: ids, counts and, as far as the record has them, names, and
// reliabilities and mixtures of k topics.
func foldedFields(record *FoldRecord, k int) []tablefile.Field {
	fields := []tablefile.Field{{Name: "item_id", Type: tablefile.String}, {Name: "df", Type: tablefile.Int64},
		{Name: "tf", Type: tablefile.Int64}}
	if record.Names {
		fields = append(fields, tablefile.Field{Name: "name", Type: tablefile.String})
	}
	if record.Topics {
		fields = append(fields, tablefile.Field{Name: "reliability", Type: tablefile.Float64},
			tablefile.Field{Name: "mixture", Type: tablefile.Float32List, Width: k})
	}
	return fields
}

// readFolded calls fn with runs of rows of columns of folded.parquet.
func (m *Model) readFolded(ctx context.Context, fields []tablefile.Field, fn func(columns []any) error) error {
	if err := m.from.Verify(ctx, foldedFile); err != nil {
		return err
	}
	return tablefile.Read(ctx, objects.Join(m.from.path, foldedFile), fields, func(_ int64, columns []any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(columns)
	})
}

// refold writes folded.parquet of a model whose topics are those of a loaded one, changed by a person. Its row groups
// are the runs of rows in which that one is read.
func (m *Model) refold(out *Output) error {
	from, record := m.lent.model, m.Manifest.Fold
	k, before, after := from.Topics(), make([]float64, from.Topics()), make([]float64, m.Topics())
	return out.WriteFile(foldedFile, func(w io.Writer) error {
		writer, err := tablefile.NewWriter(w, foldedFields(record, m.Topics()))
		if err != nil {
			return err
		}
		err = from.readFolded(out.ctx, foldedFields(record, k), func(columns []any) error {
			if record.Topics {
				var carried []float32
				for mixture := range slices.Chunk(columns[len(columns)-1].([]float32), k) {
					convert(before, mixture)
					m.lent.carry(after, before)
					for _, p := range after {
						carried = append(carried, float32(p))
					}
				}
				columns[len(columns)-1] = carried
			}
			return writer.Write(columns...)
		})
		if err != nil {
			return err
		}
		return writer.Close()
	})
}

// foldedBytes is about how many bytes an item takes that is known by name only.
const foldedBytes = 100

// Folded returns the items of folded.parquet, numbered as there, with their counts; nil if there is none. The first
// call reads them, about 100 bytes each.
func (m *Model) Folded(ctx context.Context) (*corpus.Vocabulary, error) {
	record := m.Manifest.Fold
	switch {
	case record != nil && m.lent != nil:
		return m.lent.model.Folded(ctx)
	case record == nil || !m.from.has(foldedFile):
		return nil, nil
	}
	return m.beside.get(func() (*corpus.Vocabulary, error) {
		if err := process.Reserve(foldedBytes * int64(record.Items)); err != nil {
			return nil, err
		}
		v := corpus.NewVocabulary()
		v.Counted = true
		err := m.readFolded(ctx, foldedFields(&FoldRecord{Names: record.Names}, 0), func(columns []any) error {
			df, tf := columns[1].([]int64), columns[2].([]int64)
			for at, id := range columns[0].([]string) {
				i := v.Intern([]byte(id))
				v.DocumentFrequency[i], v.TermFrequency[i] = df[at], tf[at]
			}
			if record.Names {
				v.Names = append(v.Names, columns[3].([]string)...)
			}
			return nil
		})
		if err == nil && v.Len() != record.Items {
			err = m.wrong(foldedFile, Damaged, "has %d different items, but must have %d", v.Len(), record.Items)
		}
		return v, err
	})
}

// ItemNames returns the function that gives the names that items of the model at path, whose manifest it is, have
// beside their ids; nil if none has.
func (m *Manifest) ItemNames(ctx context.Context, path string) (func(id []byte) string, error) {
	of := &Model{Manifest: *m, from: m.in(ctx, path)}
	if !of.from.has(namesFile) && (m.Fold == nil || !m.Fold.Names) {
		return nil, nil
	}
	of.Renew()
	if err := of.readVocabulary(ctx); err != nil {
		return nil, err
	}
	folded, err := of.Folded(ctx)
	return func(id []byte) string {
		for _, v := range []*corpus.Vocabulary{of.Vocabulary, folded} {
			if v == nil {
				continue
			}
			if i, known := v.Lookup(id); known {
				return v.OwnName(int(i))
			}
		}
		return ""
	}, err
}

// item returns item i of the model, as place does.
func (m *Model) item(i int) *Item {
	return &Item{ID: m.Vocabulary.ID(i), Name: m.OwnName(i), Index: i, Documents: m.DocumentFrequency[i],
		Tokens: m.TermFrequency[i], Reliability: m.ReliabilityOf(i), mixture: m.Mixtures.Row(i)}
}

// place returns the item of which text is the id or the name, without what follows from its mixture. The error is an
// *UnknownItemError, or one of reading.
func (m *Model) place(ctx context.Context, text string) (*Item, error) {
	if i, known := m.Vocabulary.Lookup([]byte(text)); known {
		return m.item(int(i)), nil
	}
	v, err := m.Folded(ctx)
	if err != nil {
		return nil, err
	}
	number, err := m.numberOf(text, v)
	row := number - m.Vocabulary.Len()
	switch {
	case err != nil:
		return nil, err
	case number < 0:
		return nil, m.unknown(text, v)
	case row < 0:
		return m.item(number), nil
	case !m.Manifest.Fold.Topics:
		return nil, &UnknownItemError{ID: text, LeftOut: m.whyLeft(v.DocumentFrequency[row])}
	}
	f := &Item{ID: v.ID(row), Name: v.OwnName(row), Index: -1, Folded: true, LeftOut: m.whyLeft(v.DocumentFrequency[row]),
		Documents: v.DocumentFrequency[row], Tokens: v.TermFrequency[row]}
	from := m
	if m.lent != nil {
		from = m.lent.model
	}
	k := from.Topics()
	file, fields := objects.Join(from.from.path, foldedFile), foldedFields(from.Manifest.Fold, k)
	err = tablefile.ReadRow(ctx, file, int64(row), fields[len(fields)-2:], func(columns []any) {
		f.Reliability, f.mixture = columns[0].([]float64)[0], make([]float64, k)
		convert(f.mixture, columns[1].([]float32)[:k])
	})
	if err == nil && m.lent != nil {
		before := f.mixture
		f.mixture = make([]float64, m.Topics())
		m.lent.carry(f.mixture, before)
	}
	return f, err
}

// EachFolded calls fn with runs of the items that shaped no topics, in the order of Folded: their ids and mixtures, K
// values for each, which are valid until it returns. Without such items, or if they have no topics, it does nothing.
func (m *Model) EachFolded(ctx context.Context, fn func(ids []string, mixtures []float32) error) error {
	record := m.Manifest.Fold
	if record == nil || !record.Topics || !m.from.has(foldedFile) {
		return nil
	}
	fields := foldedFields(record, m.Topics())
	return m.readFolded(ctx, []tablefile.Field{fields[0], fields[len(fields)-1]}, func(columns []any) error {
		return fn(columns[0].([]string), columns[1].([]float32))
	})
}

// probability returns p(item), of an item that was folded in as if it had been among those that shaped topics.
func (f *Item) probability(m *Model) float64 {
	if !f.Folded {
		return m.Probability[f.Index]
	}
	c := &m.Manifest.Corpus
	return float64(f.Tokens) / float64(max(c.Tokens-c.Pruned.Total().Tokens+f.Tokens, 1))
}

// row returns p(item | topic).
func (f *Item) row(m *Model) []float64 {
	if !f.Folded {
		return m.Items.Row(f.Index)
	}
	row, p := make([]float64, len(f.mixture)), f.probability(m)
	for k, share := range m.Shares {
		if share > 0 {
			row[k] = f.mixture[k] * p / share
		}
	}
	return row
}

// whyLeft says why an item of the given number of documents shaped no topics.
func (m *Model) whyLeft(documents int64) string {
	c := &m.Manifest.Corpus
	percent := func(share float64) string { return strconv.FormatFloat(100*share, 'g', 3, 64) + " %" }
	share := float64(documents) / float64(max(c.DocumentsRead, 1))
	switch {
	case documents < c.MinDF && documents == 1:
		return fmt.Sprintf("in 1 document (at least %d are needed)", c.MinDF)
	case documents < c.MinDF:
		return fmt.Sprintf("in %d documents (at least %d are needed)", documents, c.MinDF)
	case c.MaxDFRatio > 0 && share > c.MaxDFRatio:
		return fmt.Sprintf("in %s of the documents (limit %s)", percent(share), percent(c.MaxDFRatio))
	}
	return fmt.Sprintf("a stop word, or beyond the greatest number of items; in %d documents", documents)
}
