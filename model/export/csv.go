// This file writes tables of comma-separated values, as RFC 4180 has them, with a line of names.

package export

import (
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"anchorage/internal/durable"
	"anchorage/internal/safetext"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/shard/tablefile"
)

// writeCSV writes the model as tables.
func writeCSV(ctx context.Context, j *job, dir *durable.Dir) error {
	return all(
		func() error { return j.writeItemsCSV(dir) },
		func() error { return j.writeTopicsCSV(dir) },
		func() error { return j.writeListsCSV(dir) },
		func() error { return j.writeRowsCSV(dir, "mixtures.csv", j.Mixtures) },
		func() error { return j.writeRowsCSV(dir, "topic_items.csv", j.Items) },
		func() error { return j.writeCorrelationsCSV(dir) },
		func() error { return j.writeDocumentsCSV(ctx, dir) },
	)
}

// begin begins a table.
func (j *job) begin(w io.Writer, header []string) (*csv.Writer, error) {
	if j.mark {
		if _, err := io.WriteString(w, tablefile.ByteOrderMark); err != nil {
			return nil, err
		}
	}
	c := csv.NewWriter(w)
	return c, c.Write(header)
}

// writeExcel writes the same tables with the mark by which Excel knows UTF-8.
func writeExcel(ctx context.Context, j *job, dir *durable.Dir) error {
	j.mark = true
	return writeCSV(ctx, j, dir)
}

// writeTable writes a table: a line of names, and the lines that rows passes to write.
func (j *job) writeTable(dir *durable.Dir, name string, header []string, rows func(write func(...string))) error {
	return dir.WriteFile(name, func(w io.Writer) error {
		c, err := j.begin(w, header)
		if err != nil {
			return err
		}
		rows(func(fields ...string) { c.Write(fields) })
		c.Flush()
		return c.Error()
	})
}

func real64(v float64) string                  { return strconv.FormatFloat(v, 'g', -1, 64) }
func real32[T ~float32 | ~float64](v T) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
func whole[T ~int | int64](n T) string         { return strconv.FormatInt(int64(n), 10) }

// cell returns the id of an item as a cell: control characters are escaped, and an apostrophe precedes what a
// spreadsheet would take for a formula.
func (j *job) cell(item int) string { return safetext.Cell(j.Vocabulary.ID(item)) }

func (j *job) writeItemsCSV(dir *durable.Dir) error {
	header := []string{"item_id", "index", "df", "tf", "probability", "reliability", "top_topic"}
	if j.Vocabulary.Names != nil {
		header = append(header, "name")
	}
	return j.writeTable(dir, "items.csv", header, func(write func(...string)) {
		for i := range j.Vocabulary.Len() {
			fields := []string{j.cell(i), whole(i), whole(j.DocumentFrequency[i]), whole(j.TermFrequency[i]),
				real64(j.Probability[i]), real64(j.ReliabilityOf(i)), whole(int(j.TopTopic(i)))}
			if j.Vocabulary.Names != nil {
				fields = append(fields, safetext.Cell(j.OwnName(i)))
			}
			write(fields...)
		}
	})
}

func (j *job) writeTopicsCSV(dir *durable.Dir) error {
	header := []string{"topic", "share", "anchor", "name"}
	return j.writeTable(dir, "topics.csv", header, func(write func(...string)) {
		for k, share := range j.Shares {
			anchor := ""
			if j.Anchors != nil {
				anchor = j.cell(j.Anchors[k])
			}
			write(whole(k), real64(share), anchor, safetext.Cell(j.TopicName(k)))
		}
	})
}

func (j *job) writeListsCSV(dir *durable.Dir) error {
	header := []string{"topic", "kind", "rank", "item_id", "probability"}
	if j.Vocabulary.Names != nil {
		header = append(header, "name")
	}
	return j.writeTable(dir, "prominent.csv", header, func(write func(...string)) {
		for k := range j.Topics() {
			for _, kind := range []struct {
				name  string
				lists [][]model.Listed
			}{{"prominent", j.Prominent}, {"characteristic", j.Characteristic}} {
				if kind.lists == nil {
					continue
				}
				for rank, listed := range kind.lists[k] {
					fields := []string{whole(k), kind.name, whole(rank), j.cell(listed.Item), real64(listed.Probability)}
					if j.Vocabulary.Names != nil {
						fields = append(fields, safetext.Cell(j.OwnName(listed.Item)))
					}
					write(fields...)
				}
			}
		}
	})
}

// writeRowsCSV writes a line per item, with K numbers of single precision.
func (j *job) writeRowsCSV(dir *durable.Dir, name string, t *matrix.Tall) error {
	header := []string{"item_id"}
	for k := range t.Cols() {
		header = append(header, "topic_"+whole(k))
	}
	return j.writeTable(dir, name, header, func(write func(...string)) {
		fields := make([]string, 1+t.Cols())
		for i := range t.Rows() {
			fields[0] = j.cell(i)
			for k, v := range t.Row(i) {
				fields[1+k] = real32(v)
			}
			write(fields...)
		}
	})
}

func (j *job) writeCorrelationsCSV(dir *durable.Dir) error {
	header := []string{"topic_a", "topic_b", "probability"}
	return j.writeTable(dir, "correlations.csv", header, func(write func(...string)) {
		for at, p := range j.TopicJoint {
			write(whole(at/j.Topics()), whole(at%j.Topics()), real64(p))
		}
	})
}

// writeDocumentsCSV writes a line per document with its id and K shares, if there are documents.
func (j *job) writeDocumentsCSV(ctx context.Context, dir *durable.Dir) error {
	if len(j.Documents) == 0 {
		return nil
	}
	fields := []tablefile.Field{{Name: "doc_id", Type: tablefile.String},
		{Name: "mixture", Type: tablefile.Float32List, Width: j.Topics()}}
	header := []string{"doc_id"}
	for k := range j.Topics() {
		header = append(header, "topic_"+whole(k))
	}
	return dir.WriteFile("document_topics.csv", func(w io.Writer) error {
		c, err := j.begin(w, header)
		if err != nil {
			return err
		}
		line := make([]string, len(header))
		err = j.read(ctx, fields, func(_ string, _ int64, columns []any) error {
			shares := columns[1].([]float32)
			for d, id := range columns[0].([]string) {
				line[0] = safetext.Cell(id)
				for k := range j.Topics() {
					line[1+k] = real32(shares[d*j.Topics()+k])
				}
				c.Write(line)
			}
			return c.Error()
		})
		c.Flush()
		return cmp.Or(err, c.Error())
	})
}
