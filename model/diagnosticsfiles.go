// This file defines the tables of diagnostics.

package model

import (
	"context"
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

// courseRows is the content of course.parquet: a row per iteration.
type courseRows struct{ changes, densities, shifts, corrections []float64 }

func (c *courseRows) table(rows int) table {
	return table{file: courseFile, rows: rows, whole: true, columns: []column{
		numbered("iteration"), values("change", &c.changes), values("density", &c.densities), values("shift", &c.shifts), values("corrections", &c.corrections),
	}}
}

// course returns what was read.
func (c *courseRows) course() (course []Course) {
	for i := range c.changes {
		course = append(course, Course{c.changes[i], c.densities[i], c.shifts[i], c.corrections[i]})
	}
	return course
}

// courseTables is the table of the iterations of a rectification, or nothing if there were none.
func courseTables(course []Course) []table {
	if len(course) == 0 {
		return nil
	}
	var c courseRows
	for _, step := range course {
		c.changes, c.densities = append(c.changes, step.Change), append(c.densities, step.Density)
		c.shifts, c.corrections = append(c.shifts, step.Shift), append(c.corrections, step.Corrections)
	}
	return []table{c.table(len(course))}
}

// diagnosticsTable has a row per topic.
func (d *Diagnostics) diagnosticsTable(k int) table {
	columns := []column{numbered("topic")}
	for _, c := range diagnosed {
		columns = append(columns, values(c.name, c.of(d)))
	}
	return table{file: diagnosticsFile, rows: k, whole: true, columns: columns}
}

// tables returns the tables to write.
func (d *Diagnostics) tables(k, n int) []table {
	var e exampleRows
	for topic, examples := range d.Examples {
		for rank, x := range examples {
			e.topics, e.ranks = append(e.topics, int32(topic)), append(e.ranks, int32(rank))
			e.shards, e.rows, e.shares = append(e.shards, x.Shard), append(e.rows, x.Row), append(e.shares, x.Share)
			e.ids, e.texts = append(e.ids, x.ID), append(e.texts, x.Text)
		}
	}
	tables := []table{d.diagnosticsTable(k), e.table(len(e.topics))}
	tables = append(tables, courseTables(d.Course)...)
	if d.Map != nil {
		tables = append(tables, d.Map.table(len(d.Map.Items), n))
	}
	return tables
}

// readDiagnostics reads the tables of k topics and n items.
func readDiagnostics(ctx context.Context, from directory, k, n int) (*Diagnostics, error) {
	d := &Diagnostics{Examples: make([][]ExampleDocument, k)}
	var e exampleRows
	var c courseRows
	tables := []table{d.diagnosticsTable(k), e.table(-1)}
	if from.has(courseFile) {
		tables = append(tables, c.table(-1))
	}
	if from.has(mapFile) {
		d.Map = new(Map)
		tables = append(tables, d.Map.table(-1, n))
	}
	for _, t := range tables {
		if err := t.read(ctx, from); err != nil {
			return nil, err
		}
	}
	d.Course = c.course()
	for row, topic := range e.topics {
		if topic < 0 || int(topic) >= k || len(d.Examples[topic]) == ExampleDocuments {
			return nil, &InputError{Path: objects.Join(from.path, examplesFile), Reason: fmt.Sprintf("has an example of topic %d, which the model cannot have", topic)}
		}
		d.Examples[topic] = append(d.Examples[topic], ExampleDocument{e.shards[row], e.rows[row], e.shares[row], e.ids[row], e.texts[row]})
	}
	return d, nil
}
