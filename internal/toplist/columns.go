// This file finds the best rows in every column of a matrix, of one rank or of several.

package toplist

import (
	"context"

	"anchorage/internal/collective"
	"anchorage/internal/kernel"
)

// Columns returns, for every column of a matrix, its greatest positive values with their rows as items, at most limit of them. Row
// is called once for each of the rows, from several goroutines, and sets dst to the columns of row i; dst arrives with
// the values of an earlier row. Each goroutine holds limit entries for every column.
func Columns(rows, columns, limit, workers int, row func(dst []float64, i int)) [][]Entry {
	return columnsOf(0, rows, columns, limit, workers, row)
}

// Shared is Columns over n rows that several ranks share: row is called on each rank for its own, and all ranks get the best of all. The error
// is that of ctx.
func Shared(ctx context.Context, n, columns, limit, workers int, row func(dst []float64, i int)) ([][]Entry, error) {
	c := collective.From(ctx)
	first, last := c.Rows(n)
	best := columnsOf(first, last, columns, limit, workers, row)
	if c.Size() == 1 {
		return best, ctx.Err()
	}
	var own []float64 // of every column the number of entries, then items and scores
	for _, entries := range best {
		own = append(own, float64(len(entries)))
		for _, e := range entries {
			own = append(own, float64(e.Item), e.Score)
		}
	}
	all, err := collective.AllGather(ctx, c, own)
	if err != nil {
		return nil, err
	}
	for column := range best {
		merged := New(limit)
		for r, values := range all {
			count := int(values[0])
			for values = values[1:]; count > 0; count, values = count-1, values[2:] {
				merged.Offer(int(values[0]), values[1])
			}
			all[r] = values
		}
		best[column] = merged.Sorted()
	}
	return best, nil
}

// columnsOf is Columns of the rows from first, before last.
func columnsOf(first, last, columns, limit, workers int, row func(dst []float64, i int)) [][]Entry {
	rows := last - first
	parts := make([][]List, max(min(kernel.Workers(workers), rows), 1))
	// Neither the context nor the function can make Parallel fail.
	_ = kernel.Parallel(context.Background(), workers, len(parts), func(p int) error {
		lists := make([]List, columns)
		for c := range lists {
			lists[c] = New(limit)
		}
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
		return nil
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
