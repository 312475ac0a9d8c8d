// This file writes and reads drift.parquet.

package model

import (
	"context"
	"io"

	"anchorage/model/drift"
	"anchorage/shard/tablefile"
)

// WriteDrift writes a drift as Parquet, a row per topic; see docs/format/drift.md. Equal drifts give equal bytes.
func WriteDrift(ctx context.Context, w io.Writer, d *drift.Drift) error {
	t := driftTable(d)
	return t.encode(ctx, w, t.values, nil)
}

// driftTable has a row per topic. The items that rose and fell are not read.
func driftTable(d *drift.Drift) table {
	whole := func(name string, of func(*drift.Topic) *int) column { return field(name, &d.Topics, of) }
	number := func(name string, of func(*drift.Topic) *float64) column { return field(name, &d.Topics, of) }
	columns := []column{
		field("kind", &d.Topics, func(t *drift.Topic) *string { return (*string)(&t.Kind) }),
		whole("then", func(t *drift.Topic) *int { return &t.Then }),
		whole("now", func(t *drift.Topic) *int { return &t.Now }),
		whole("then_id", func(t *drift.Topic) *int { return &t.ThenID }),
		whole("now_id", func(t *drift.Topic) *int { return &t.NowID }),
		whole("whole_id", func(t *drift.Topic) *int { return &t.Whole }),
		number("distance", func(t *drift.Topic) *float64 { return &t.Distance }),
		number("union_distance", func(t *drift.Topic) *float64 { return &t.UnionDistance }),
		number("share_then", func(t *drift.Topic) *float64 { return &t.ShareThen }),
		number("share_now", func(t *drift.Topic) *float64 { return &t.ShareNow }),
		number("outside_then", func(t *drift.Topic) *float64 { return &t.OutsideThen }),
		number("outside_now", func(t *drift.Topic) *float64 { return &t.OutsideNow }),
	}
	columns = append(columns, driftItems(d, "risen", func(t *drift.Topic) []drift.Item { return t.Risen })...)
	columns = append(columns, driftItems(d, "fallen", func(t *drift.Topic) []drift.Item { return t.Fallen })...)
	return table{file: driftFile, rows: len(d.Topics), whole: true, columns: columns}
}

// driftItems are the columns of a list of items: their ids, and their probabilities then and now. Shorter lists end in
// empty ids and zeros.
func driftItems(d *drift.Drift, name string, of func(*drift.Topic) []drift.Item) []column {
	return []column{
		itemLists(d, name, tablefile.StringList, of, func(item drift.Item) string { return item.Item }),
		itemLists(d, name+"_then", tablefile.Float64List, of, func(item drift.Item) float64 { return item.Then }),
		itemLists(d, name+"_now", tablefile.Float64List, of, func(item drift.Item) float64 { return item.Now }),
	}
}

// itemLists is a column of lists of as many values as drift.Items.
func itemLists[T any](d *drift.Drift, name string, kind tablefile.Type, of func(*drift.Topic) []drift.Item,
	value func(drift.Item) T) column {
	return column{Field: tablefile.Field{Name: name, Type: kind, Width: drift.Items}, write: func(first, last int) any {
		values := make([]T, (last-first)*drift.Items)
		for i := first; i < last; i++ {
			for rank, item := range of(&d.Topics[i]) {
				values[(i-first)*drift.Items+rank] = value(item)
			}
		}
		return values
	}}
}
