// This file writes and reads drift.parquet.

package model

import (
	"io"

	"anchorage/model/drift"
	"anchorage/shard/tablefile"
)

// driftFile is the table of a Drift.
const driftFile = "drift.parquet"

// WriteDrift writes a drift as Parquet, a row per topic; see docs/format/drift.md. Equal drifts give equal bytes.
func WriteDrift(w io.Writer, d *drift.Drift) error { return driftTable(d).encode(w) }

// driftTable has a row per topic.
func driftTable(d *drift.Drift) table {
	whole := func(name string, of func(*drift.Topic) int) column {
		return driftColumn(d, name, tablefile.Int32, 0, func(dst []int32, t *drift.Topic) []int32 { return append(dst, int32(of(t))) })
	}
	number := func(name string, of func(*drift.Topic) float64) column {
		return driftColumn(d, name, tablefile.Float64, 0, func(dst []float64, t *drift.Topic) []float64 { return append(dst, of(t)) })
	}
	columns := []column{
		driftColumn(d, "kind", tablefile.String, 0, func(dst []string, t *drift.Topic) []string { return append(dst, string(t.Kind)) }),
		whole("then", func(t *drift.Topic) int { return t.Then }), whole("now", func(t *drift.Topic) int { return t.Now }),
		whole("then_id", func(t *drift.Topic) int { return t.ThenID }), whole("now_id", func(t *drift.Topic) int { return t.NowID }),
		whole("whole_id", func(t *drift.Topic) int { return t.Whole }),
		number("distance", func(t *drift.Topic) float64 { return t.Distance }),
		number("union_distance", func(t *drift.Topic) float64 { return t.UnionDistance }),
		number("share_then", func(t *drift.Topic) float64 { return t.ShareThen }),
		number("share_now", func(t *drift.Topic) float64 { return t.ShareNow }),
		number("outside_then", func(t *drift.Topic) float64 { return t.OutsideThen }),
		number("outside_now", func(t *drift.Topic) float64 { return t.OutsideNow }),
	}
	columns = append(columns, driftItems(d, "risen", func(t *drift.Topic) []drift.Item { return t.Risen })...)
	columns = append(columns, driftItems(d, "fallen", func(t *drift.Topic) []drift.Item { return t.Fallen })...)
	return table{file: driftFile, rows: len(d.Topics), whole: true, columns: columns}
}

// driftItems are the columns of a list of items: their ids, and their probabilities then and now. Shorter lists end in empty ids and
// zeros.
func driftItems(d *drift.Drift, name string, of func(*drift.Topic) []drift.Item) []column {
	padded := func(t *drift.Topic) []drift.Item {
		list := of(t)
		return append(list[:len(list):len(list)], make([]drift.Item, drift.Items-len(list))...)
	}
	probability := func(name string, of func(drift.Item) float64) column {
		return driftColumn(d, name, tablefile.Float64List, drift.Items, func(dst []float64, t *drift.Topic) []float64 {
			for _, item := range padded(t) {
				dst = append(dst, of(item))
			}
			return dst
		})
	}
	return []column{
		driftColumn(d, name, tablefile.StringList, drift.Items, func(dst []string, t *drift.Topic) []string {
			for _, item := range padded(t) {
				dst = append(dst, item.Item)
			}
			return dst
		}),
		probability(name+"_then", func(item drift.Item) float64 { return item.Then }),
		probability(name+"_now", func(item drift.Item) float64 { return item.Now }),
	}
}

// driftColumn is a column that is only written. add appends the values of a row.
func driftColumn[T any](d *drift.Drift, name string, kind tablefile.Type, width int, add func(dst []T, t *drift.Topic) []T) column {
	return column{Field: tablefile.Field{Name: name, Type: kind, Width: width}, write: func(first, last int) any {
		values := []T{}
		for i := first; i < last; i++ {
			values = add(values, &d.Topics[i])
		}
		return values
	}}
}

// storedDrift is the table of what a report shows of a drift: its topics without their items, and how many there are of each kind.
func storedDrift(of **drift.Drift) (table, func() error) {
	var kinds []string
	var then, now, thenIDs, nowIDs []int32
	var distances, sharesThen, sharesNow []float64
	t := table{file: driftFile, rows: -1, columns: []column{texts("kind", &kinds), values("then", &then), values("now", &now), values("then_id", &thenIDs),
		values("now_id", &nowIDs), values("distance", &distances), values("share_then", &sharesThen), values("share_now", &sharesNow)}}
	return t, func() error {
		d := new(drift.Drift)
		for i, kind := range kinds {
			d.Topics = append(d.Topics, drift.Topic{Kind: drift.Kind(kind), Then: int(then[i]), Now: int(now[i]), ThenID: int(thenIDs[i]), NowID: int(nowIDs[i]),
				Distance: distances[i], ShareThen: sharesThen[i], ShareNow: sharesNow[i]})
			if then[i] >= 0 {
				d.Summary.TopicsThen++
			}
			if now[i] >= 0 {
				d.Summary.TopicsNow++
			}
		}
		d.Summary.Count(d.Topics)
		*of = d
		return nil
	}
}
