// This file defines the tables of diagnostics.

package model

import (
	"fmt"

	"anchorage/internal/objects"
)

// exampleRows is the content of examples.parquet: a row per topic and example.
type exampleRows struct {
	topics, ranks []int32
	shards        []string
	rows          []int64
	shares        []float64
	ids, texts    []string
}

func (e *exampleRows) table(rows int) table {
	return table{file: examplesFile, rows: rows, whole: true, columns: []column{
		values("topic", &e.topics), values("rank", &e.ranks), texts("shard", &e.shards), values("row", &e.rows),
		values("share", &e.shares), texts("id", &e.ids), texts("text", &e.texts),
	}}
}

// courseTable is the table of the iterations of a rectification.
func courseTable(course *[]Course, reading bool) (table, func() error) {
	var changes, densities, shifts, corrections []float64
	if !reading {
		for _, step := range *course {
			changes, densities = append(changes, step.Change), append(densities, step.Density)
			shifts, corrections = append(shifts, step.Shift), append(corrections, step.Corrections)
		}
	}
	t := table{file: courseFile, rows: rowsOr(reading, len(*course)), whole: true, columns: []column{
		numbered("iteration"), values("change", &changes), values("density", &densities), values("shift", &shifts), values("corrections", &corrections),
	}}
	return t, func() error {
		for i := range changes {
			*course = append(*course, Course{changes[i], densities[i], shifts[i], corrections[i]})
		}
		return nil
	}
}

// diagnosticsTable has a row per topic.
func (d *Diagnostics) diagnosticsTable(k int) table {
	columns := []column{numbered("topic")}
	for i, figure := range topicFigures {
		columns = append(columns, values(figure.Name, &d.Figures[i]))
	}
	return table{file: diagnosticsFile, rows: k, whole: true, columns: columns}
}

// examplesTable has a row per topic and example.
func (m *Model) examplesTable(reading bool) (table, func() error) {
	var e exampleRows
	examples := m.Diagnostics.Examples
	for topic, list := range examples {
		for rank, x := range list {
			e.topics, e.ranks = append(e.topics, int32(topic)), append(e.ranks, int32(rank))
			e.shards, e.rows, e.shares = append(e.shards, x.Shard), append(e.rows, x.Row), append(e.shares, x.Share)
			e.ids, e.texts = append(e.ids, x.ID), append(e.texts, x.Text)
		}
	}
	return e.table(rowsOr(reading, len(e.topics))), func() error {
		for row, topic := range e.topics {
			if topic < 0 || int(topic) >= len(examples) || len(examples[topic]) == ExampleDocuments {
				return &InputError{Path: objects.Join(m.from.path, examplesFile), Reason: fmt.Sprintf("has an example of topic %d, which the model cannot have", topic)}
			}
			examples[topic] = append(examples[topic], ExampleDocument{e.shards[row], e.rows[row], e.shares[row], e.ids[row], e.texts[row]})
		}
		return nil
	}
}
