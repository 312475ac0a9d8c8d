// This file writes drift.parquet.

package model

import (
	"context"
	"io"

	"anchorage/shard"
)

// driftFile is the table of a Drift.
const driftFile = "drift.parquet"

// WriteTable writes the drift as Parquet, a row per topic; see docs/format/drift.md. Equal drifts give equal bytes.
func (d *Drift) WriteTable(w io.Writer) error { return d.table().encode(w) }

// table has a row per topic.
func (d *Drift) table() table {
	whole := func(name string, of func(*TopicDrift) int) column {
		return driftColumn(d, name, shard.Int32, 0, func(dst []int32, t *TopicDrift) []int32 { return append(dst, int32(of(t))) })
	}
	number := func(name string, of func(*TopicDrift) float64) column {
		return driftColumn(d, name, shard.Float64, 0, func(dst []float64, t *TopicDrift) []float64 { return append(dst, of(t)) })
	}
	columns := []column{
		driftColumn(d, "kind", shard.String, 0, func(dst []string, t *TopicDrift) []string { return append(dst, string(t.Kind)) }),
		whole("then", func(t *TopicDrift) int { return t.Then }), whole("now", func(t *TopicDrift) int { return t.Now }),
		whole("then_id", func(t *TopicDrift) int { return t.ThenID }), whole("now_id", func(t *TopicDrift) int { return t.NowID }),
		whole("whole_id", func(t *TopicDrift) int { return t.Whole }),
		number("distance", func(t *TopicDrift) float64 { return t.Distance }),
		number("union_distance", func(t *TopicDrift) float64 { return t.UnionDistance }),
		number("share_then", func(t *TopicDrift) float64 { return t.ShareThen }),
		number("share_now", func(t *TopicDrift) float64 { return t.ShareNow }),
		number("outside_then", func(t *TopicDrift) float64 { return t.OutsideThen }),
		number("outside_now", func(t *TopicDrift) float64 { return t.OutsideNow }),
	}
	columns = append(columns, d.itemColumns("risen", func(t *TopicDrift) []ItemDrift { return t.Risen })...)
	columns = append(columns, d.itemColumns("fallen", func(t *TopicDrift) []ItemDrift { return t.Fallen })...)
	return table{file: driftFile, rows: len(d.Topics), whole: true, columns: columns}
}

// itemColumns are the columns of a list of items: their ids, and their probabilities then and now. Shorter lists end in empty ids and
// zeros.
func (d *Drift) itemColumns(name string, of func(*TopicDrift) []ItemDrift) []column {
	padded := func(t *TopicDrift) []ItemDrift {
		list := of(t)
		return append(list[:len(list):len(list)], make([]ItemDrift, DriftItems-len(list))...)
	}
	probability := func(name string, of func(ItemDrift) float64) column {
		return driftColumn(d, name, shard.Float64List, DriftItems, func(dst []float64, t *TopicDrift) []float64 {
			for _, item := range padded(t) {
				dst = append(dst, of(item))
			}
			return dst
		})
	}
	return []column{
		driftColumn(d, name, shard.StringList, DriftItems, func(dst []string, t *TopicDrift) []string {
			for _, item := range padded(t) {
				dst = append(dst, item.Item)
			}
			return dst
		}),
		probability(name+"_then", func(item ItemDrift) float64 { return item.Then }),
		probability(name+"_now", func(item ItemDrift) float64 { return item.Now }),
	}
}

// driftColumn is a column that is only written. add appends the values of a row.
func driftColumn[T any](d *Drift, name string, kind shard.Type, width int, add func(dst []T, t *TopicDrift) []T) column {
	return column{Field: shard.Field{Name: name, Type: kind, Width: width}, write: func(first, last int) any {
		values := []T{}
		for i := first; i < last; i++ {
			values = add(values, &d.Topics[i])
		}
		return values
	}}
}

// storedDrift reads what a report shows of a Drift: its topics without their items, and how many there are of each kind.
func storedDrift(ctx context.Context, from directory) (*Drift, error) {
	var kinds []string
	var then, now, thenIDs, nowIDs []int32
	var distances, sharesThen, sharesNow []float64
	t := table{file: driftFile, rows: -1, columns: []column{texts("kind", &kinds), values("then", &then), values("now", &now), values("then_id", &thenIDs),
		values("now_id", &nowIDs), values("distance", &distances), values("share_then", &sharesThen), values("share_now", &sharesNow)}}
	if err := t.read(ctx, from); err != nil {
		return nil, err
	}
	d := new(Drift)
	for i, kind := range kinds {
		d.Topics = append(d.Topics, TopicDrift{Kind: DriftKind(kind), Then: int(then[i]), Now: int(now[i]), ThenID: int(thenIDs[i]), NowID: int(nowIDs[i]),
			Distance: distances[i], ShareThen: sharesThen[i], ShareNow: sharesNow[i]})
		if then[i] >= 0 {
			d.Summary.TopicsThen++
		}
		if now[i] >= 0 {
			d.Summary.TopicsNow++
		}
	}
	d.Summary.count(d.Topics)
	return d, nil
}
