// This file reads a fitted model row by row, so that no matrix of its size is in memory.

package scale

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"anchorage/internal/synth"
	"anchorage/shard/tablefile"
	"anchorage/stream"
)

// estimate is a model in a folder. err is the first error of reading its rows.
type estimate struct {
	synth.Estimate
	err error
}

// readEstimate returns the model in a folder: its items, A and anchors, and B as rows that are read again whenever they
// are asked for.
func readEstimate(ctx context.Context, folder string, k int) (*estimate, error) {
	vocabulary, err := stream.ReadVocabulary(ctx, filepath.Join(folder, "vocabulary.parquet"))
	if err != nil {
		return nil, err
	}
	e := new(estimate)
	if e.Items, err = synth.ItemsOf(vocabulary); err != nil {
		return nil, err
	}
	err = tablefile.Read(ctx, filepath.Join(folder, "correlations.parquet"),
		[]tablefile.Field{{Name: "probability", Type: tablefile.Float64}},
		func(_ int64, values []any) error {
			e.Correlations = append(e.Correlations, values[0].([]float64)...)
			return nil
		})
	if err != nil {
		return nil, err
	}
	if err := e.readAnchors(ctx, filepath.Join(folder, "anchors.parquet")); err != nil {
		return nil, err
	}
	if len(e.Correlations) != k*k || e.Anchors != nil && len(e.Anchors) != k {
		return nil, fmt.Errorf("the model has %d anchors and %d joint probabilities of %d topics", len(e.Anchors),
			len(e.Correlations), k)
	}
	e.Rows = func(fn func(r int, row []float64)) {
		if err := readRows(ctx, filepath.Join(folder, "topic_items.parquet"), k, fn); err != nil && e.err == nil {
			e.err = err
		}
	}
	return e, nil
}

// readAnchors reads the items of the anchors, where the model has any.
func (e *estimate) readAnchors(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return tablefile.Read(ctx, path, []tablefile.Field{{Name: "index", Type: tablefile.Int32}},
		func(_ int64, values []any) error {
			for _, i := range values[0].([]int32) {
				e.Anchors = append(e.Anchors, int(i))
			}
			return nil
		})
}

// readRows calls fn with every row of B.
func readRows(ctx context.Context, path string, k int, fn func(r int, row []float64)) error {
	row := make([]float64, k)
	return tablefile.Read(ctx, path, []tablefile.Field{{Name: "loadings", Type: tablefile.Float32List, Width: k}},
		func(first int64, values []any) error {
			loadings := values[0].([]float32)
			for r := range len(loadings) / k {
				for j, v := range loadings[r*k : (r+1)*k] {
					row[j] = float64(v)
				}
				fn(int(first)+r, row)
			}
			return ctx.Err()
		})
}
