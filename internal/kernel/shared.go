// This file lets the processes that share rows act as one. Each function takes the layout of what they share, and all
// of them must call it at the same time. Where the layout is nil nothing is shared, and what one process has is the
// result.

package kernel

import (
	"context"
	"slices"

	"anchorage/internal/aligned"
	"anchorage/internal/collective"
	"anchorage/matrix"
)

// Held returns the rows [first, last) of n that this process holds.
func Held(layout matrix.Layout, n int) (first, last int) {
	if layout == nil {
		return 0, n
	}
	return layout.Rows(n)
}

// Sharers returns the number of processes that share what has a layout.
func Sharers(layout matrix.Layout) int { return collective.Of(layout).Size() }

// CountsShared reports whether this process counts what all have where AddUp adds up: one of them does.
func CountsShared(layout matrix.Layout) bool { return collective.Of(layout).First() }

// Complete completes a vector that has a value for each row, of which every process has set those of its rows.
func Complete[T collective.Value](ctx context.Context, layout matrix.Layout, values []T) error {
	return collective.Share(ctx, collective.Of(layout), values)
}

// AddUp replaces values by their sums over the processes, in the order of the processes. Integers have the same sum for
// any number of processes; for others see SumRows and package exact.
func AddUp[T collective.Value](ctx context.Context, layout matrix.Layout, values []T) error {
	return collective.Sum(ctx, collective.Of(layout), values)
}

// AddUpLong is AddUp for long vectors, with one value for every item or more.
func AddUpLong[T collective.Value](ctx context.Context, layout matrix.Layout, vectors ...[]T) error {
	for _, values := range vectors {
		if err := collective.SumLong(ctx, collective.Of(layout), values); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Greatest replaces values by the greatest of all processes.
func Greatest[T collective.Value](ctx context.Context, layout matrix.Layout, values []T) error {
	return collective.Max(ctx, collective.Of(layout), values)
}

// Concat returns the values of all processes one after the other, in the order of their rows and of their documents.
func Concat[T collective.Value](ctx context.Context, layout matrix.Layout, own []T) ([]T, error) {
	all, err := collective.AllGather(ctx, collective.Of(layout), own)
	if err != nil || len(all) == 1 {
		return own, err
	}
	return slices.Concat(all...), nil
}

// ToHolders sends records to the processes that hold their rows of n: each calls send, with the row of the record, for
// those that it has. It returns the records that have come to this process, one after the other.
func ToHolders[T collective.Value](ctx context.Context, layout matrix.Layout, n int,
	each func(send func(row int, record ...T))) ([]T, error) {
	c := collective.Of(layout)
	parts := make([][]T, c.Size())
	each(func(row int, record ...T) {
		r := c.Owner(n, row)
		parts[r] = append(parts[r], record...)
	})
	received, err := collective.AllToAll(ctx, c, parts)
	return slices.Concat(received...), err
}

// DealRows deals tasks to the processes that share t. fn sets the result of a task, width values, from rows of t:
// rowsOf returns the numbers of those that the task needs, and next their values, one by one in that order. Every
// process gets the results of all tasks, one after the other. A process that does not hold all of t holds the rows of
// one task at a time.
func DealRows[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], tasks, width, workers int,
	rowsOf func(task int) []int,
	fn func(result []float64, task int, next func() []T)) ([]float64, error) {
	if t.Whole() {
		results := make([]float64, tasks*width)
		return results, Parallel(ctx, workers, tasks, func(task int) error {
			rows := rowsOf(task)
			fn(results[task*width:][:width], task, func() (row []T) {
				row, rows = t.Row(rows[0]), rows[1:]
				return row
			})
			return nil
		})
	}
	c, cols := collective.Of(t.Layout()), t.Cols()
	first, last := t.HeldRows()
	var own []float64 // of tasks rank, rank+P, …
	for begin := 0; begin < tasks; begin += c.Size() {
		sent := make([][]T, c.Size())
		for r := 0; r < c.Size() && begin+r < tasks; r++ {
			for _, i := range rowsOf(begin + r) {
				if i >= first && i < last {
					sent[r] = append(sent[r], t.Row(i)...)
				}
			}
		}
		received, err := collective.AllToAll(ctx, c, sent)
		if err != nil {
			return nil, err
		}
		task := begin + c.Rank()
		if task >= tasks {
			break
		}
		rows, result := rowsOf(task), make([]float64, width)
		fn(result, task, func() (row []T) {
			from := &received[c.Owner(t.Rows(), rows[0])]
			row, *from, rows = (*from)[:cols], (*from)[cols:], rows[1:]
			return row
		})
		own = append(own, result...)
	}
	all, err := collective.AllGather(ctx, c, own)
	if err != nil {
		return nil, err
	}
	results := make([]float64, 0, tasks*width)
	for task := range tasks {
		results = append(results, all[task%c.Size()][task/c.Size()*width:][:width]...)
	}
	return results, nil
}

// RowsOf returns copies of some rows of t, without padding, one after the other: len(rows)×t.Cols values. Every process
// that shares t gets all of them, and all must ask for the same rows. The error is that of ctx.
func RowsOf[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], rows []int) ([]T, error) {
	c, cols := collective.Of(t.Layout()), t.Cols()
	own := make([]T, 0, len(rows)*cols/c.Size())
	first, last := t.HeldRows()
	for _, i := range rows {
		if i >= first && i < last {
			own = append(own, t.Row(i)...)
		}
	}
	all, err := collective.AllGather(ctx, c, own)
	if err != nil || len(all) == 1 {
		return own, err
	}
	out := make([]T, 0, len(rows)*cols)
	for _, i := range rows {
		from := &all[c.Owner(t.Rows(), i)]
		out, *from = append(out, (*from)[:cols]...), (*from)[cols:]
	}
	return out, ctx.Err()
}

// EachHeld calls fn for the held blocks of t, on at most workers goroutines; see Parallel.
func EachHeld[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], workers int, fn func(b int) error) error {
	low, high := t.HeldBlocks()
	return Parallel(ctx, workers, high-low, func(i int) error { return fn(low + i) })
}

// EachRow calls fn with the number and the values of every held row of t; see Parallel.
func EachRow[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], workers int, fn func(i int, row []T)) error {
	return EachHeld(ctx, t, workers, func(b int) error {
		_, first, last := t.Block(b)
		for i := first; i < last; i++ {
			fn(i, t.Row(i))
		}
		return nil
	})
}
