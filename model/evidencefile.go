// This file holds the tables of the evidence between the stages.

package model

import (
	"context"
	"fmt"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/shard"
	"anchorage/sketch"
)

var evidenceFields = []shard.Field{{Name: "index", Type: shard.Int32}, {Name: "noise", Type: shard.Float64}, {Name: "support", Type: shard.Float64}}

// halvesFields are those of the rows by halves of some items.
func halvesFields(k int) []shard.Field {
	return []shard.Field{
		{Name: "row", Type: shard.Int32}, {Name: "index", Type: shard.Int32},
		{Name: "first_sum", Type: shard.Float64}, {Name: "second_sum", Type: shard.Float64},
		{Name: "first", Type: shard.Float64List, Width: k}, {Name: "second", Type: shard.Float64List, Width: k},
	}
}

// writeEvidence writes the evidence, if there is any.
func writeEvidence(dir *durable.Dir, e *sketch.Evidence, k int) error {
	if e == nil {
		return nil
	}
	err := writeTable(dir, evidenceFile, evidenceFields, func(write func(...any) error) error {
		return groups(len(e.SamplingVariance), func(first, last int) error {
			return write(indices(first, last), e.SamplingVariance[first:last], e.EffectiveSampleSize[first:last])
		})
	})
	if err != nil {
		return err
	}
	h := e.Halves
	items := make([]int32, len(h.Items))
	for at, i := range h.Items {
		items[at] = int32(i)
	}
	return writeTable(dir, halvesFile, halvesFields(k), func(write func(...any) error) error {
		return groups(len(items), func(first, last int) error {
			return write(indices(first, last), items[first:last], h.Sums[0][first:last], h.Sums[1][first:last],
				h.Rows[0][first*k:last*k], h.Rows[1][first*k:last*k])
		})
	})
}

// readEvidence reads the evidence of a directory about n items, nil where it has none.
func readEvidence(path string, n, k int) (*sketch.Evidence, error) {
	file := objects.Join(path, evidenceFile)
	if known, err := objects.Exists(context.Background(), file); err != nil || !known {
		return nil, err
	}
	e := &sketch.Evidence{}
	err := readRows(file, evidenceFields, func(columns []any) error {
		e.SamplingVariance = append(e.SamplingVariance, columns[1].([]float64)...)
		e.EffectiveSampleSize = append(e.EffectiveSampleSize, columns[2].([]float64)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(e.SamplingVariance) != n {
		return nil, &InputError{Path: file, Reason: fmt.Sprintf("has %d rows, and the vocabulary %d items", len(e.SamplingVariance), n)}
	}
	h := &e.Halves
	err = readRows(objects.Join(path, halvesFile), halvesFields(k), func(columns []any) error {
		for _, i := range columns[1].([]int32) {
			if i < 0 || int(i) >= n || len(h.Items) > 0 && int(i) <= h.Items[len(h.Items)-1] {
				return fmt.Errorf("has item %d, outside of the vocabulary or out of order", i)
			}
			h.Items = append(h.Items, int(i))
		}
		for half := range h.Rows {
			h.Sums[half] = append(h.Sums[half], columns[2+half].([]float64)...)
			h.Rows[half] = append(h.Rows[half], columns[4+half].([]float64)...)
		}
		return nil
	})
	return e, err
}
