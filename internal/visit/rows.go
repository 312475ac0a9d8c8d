// This file brings rows to a batch, and sums back to those who hold the rows.

package visit

import (
	"context"
	"slices"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// Fetch returns copies of the rows of t that the batch needs: row j is row Items[j] of t. All ranks must ask for rows
// of the same matrix.
func Fetch[T float32 | float64](ctx context.Context, b *Batch, t *matrix.TallOf[T]) (*matrix.TallOf[T], error) {
	local := matrix.New[T](len(b.Items), t.Cols())
	if t.Whole() {
		for j, item := range b.Items {
			copy(local.Row(j), t.Row(int(item)))
		}
		return local, ctx.Err()
	}
	return local, move(ctx, b, b.wanted, b.own, t.Cols(), func(dst []T, _ int, item int32) { copy(dst, t.Row(int(item))) },
		func(values []T, place int, _ int32) { copy(local.Row(place), values) })
}

// Add adds the rows of local, one for each of Items, to those of t. A row gets those of several ranks in an order that
// depends only on the number of ranks.
func Add[T float32 | float64](ctx context.Context, b *Batch, t, local *matrix.TallOf[T]) error {
	if local.Rows() != len(b.Items) || local.Cols() != t.Cols() {
		panic("visit: shapes of sums do not fit")
	}
	add := func(values []T, item int32) {
		row := t.Row(int(item))
		for j, v := range values {
			row[j] += v
		}
	}
	if t.Whole() {
		for j, item := range b.Items {
			add(local.Row(j), item)
		}
		return ctx.Err()
	}
	return move(ctx, b, b.own, b.wanted, t.Cols(), func(dst []T, place int, _ int32) { copy(dst, local.Row(place)) },
		func(values []T, _ int, item int32) { add(values, item) })
}

// move sends a row for each of the items in sent[r] to rank r, and takes the rows of those in received[r] from it, a
// piece at a time. read fills a row to send, and write takes one that has come; both get the item, and its place among
// the items that are sent to, or received from, all ranks.
func move[T float32 | float64](ctx context.Context, b *Batch, sent, received [][]int32, cols int, read,
	write func(values []T, place int, item int32)) error {
	c := b.comm
	out, in := make([][]T, c.Size()), make([][]T, c.Size())
	for round := range b.rounds {
		for r, first := 0, 0; r < c.Size(); r++ {
			items := piece(sent[r], round)
			out[r] = slices.Grow(out[r][:0], len(items)*cols)[:len(items)*cols]
			for at, item := range items {
				read(out[r][at*cols:][:cols], first+round*PieceRows+at, item)
			}
			awaited := len(piece(received[r], round)) * cols
			in[r] = slices.Grow(in[r][:0], awaited)[:awaited]
			first += len(sent[r])
		}
		in[c.Rank()], out[c.Rank()] = out[c.Rank()], in[c.Rank()]
		if err := collective.Swap(ctx, c, out, in); err != nil {
			return err
		}
		for r, first := 0, 0; r < c.Size(); r++ {
			for at, item := range piece(received[r], round) {
				write(in[r][at*cols:][:cols], first+round*PieceRows+at, item)
			}
			first += len(received[r])
		}
	}
	return ctx.Err()
}

// piece returns the items of one round.
func piece(items []int32, round int) []int32 {
	first := min(round*PieceRows, len(items))
	return items[first:min(first+PieceRows, len(items))]
}
