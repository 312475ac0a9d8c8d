// This file finds the best rows in every column of a matrix, of one process or of several.

package toplist

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Columns returns, for every column of a matrix, its greatest positive values with their rows as items, at most limit
// of them. Row is called once for each of the rows, from several goroutines, and sets dst to the columns of row i; dst
// arrives with the values of an earlier row. Each goroutine holds limit entries for every column.
func Columns(rows, columns, limit, workers int, row func(dst []float64, i int)) [][]Entry {
	return columnsOf(0, rows, columns, limit, workers, row)
}

// Shared is Columns over n rows with a layout: each process calls row for the rows that it holds, and all get the best
// of all. The error is that of ctx.
func Shared(ctx context.Context, layout matrix.Layout, n, columns, limit, workers int, row func(dst []float64,
	i int)) ([][]Entry, error) {
	first, last := kernel.Held(layout, n)
	best := columnsOf(first, last, columns, limit, workers, row)
	if layout == nil {
		return best, ctx.Err()
	}
	var own []float64 // columns, items and scores
	for column, entries := range best {
		for _, e := range entries {
			own = append(own, float64(column), float64(e.Item), e.Score)
		}
	}
	all, err := kernel.Concat(ctx, layout, own)
	if err != nil {
		return nil, err
	}
	merged := slices.Repeat([]List{New(limit)}, columns)
	for entry := range slices.Chunk(all, 3) {
		merged[int(entry[0])].Offer(int(entry[1]), entry[2])
	}
	for column := range best {
		best[column] = merged[column].Sorted()
	}
	return best, nil
}

// columnsOf is Columns of the rows from first, before last.
func columnsOf(first, last, columns, limit, workers int, row func(dst []float64, i int)) [][]Entry {
	rows := last - first
	parts := make([][]List, max(min(kernel.Workers(workers), rows), 1))
	kernel.Each(workers, len(parts), func(p int) {
		lists := slices.Repeat([]List{New(limit)}, columns)
		values := make([]float64, columns)
		for i := first + p*rows/len(parts); i < first+(p+1)*rows/len(parts); i++ {
			row(values, i)
			for c, v := range values {
				if v > 0 {
					lists[c].Offer(i, v)
				}
			}
		}
		parts[p] = lists
	})
	best := make([][]Entry, columns)
	for c := range best {
		for p := range parts[1:] {
			parts[0][c].Merge(&parts[1+p][c])
		}
		best[c] = parts[0][c].Sorted()
	}
	return best
}
