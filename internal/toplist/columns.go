// This file finds the best rows in every column of a matrix.

package toplist

import (
	"context"

	"anchorage/internal/kernel"
)

// Columns returns, for every column of a matrix, its greatest positive values with their rows as items, at most limit of them. Row
// is called once for each of the rows, from several goroutines, and sets dst to the columns of row i; dst arrives with
// the values of an earlier row. Each goroutine holds limit entries for every column.
func Columns(rows, columns, limit, workers int, row func(dst []float64, i int)) [][]Entry {
	parts := make([][]List, max(min(kernel.Workers(workers), rows), 1))
	// Neither the context nor the function can make Parallel fail.
	_ = kernel.Parallel(context.Background(), workers, len(parts), func(p int) error {
		lists := make([]List, columns)
		for c := range lists {
			lists[c] = New(limit)
		}
		values := make([]float64, columns)
		for i := p * rows / len(parts); i < (p+1)*rows/len(parts); i++ {
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
