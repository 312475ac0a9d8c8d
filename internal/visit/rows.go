// This file brings rows to a batch, and sums back to those who hold the rows.

package visit

import (
	"context"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// Fetch returns the rows of t that the batch needs, a whole matrix of its own: row j is row Items[j] of t. All ranks must ask for rows of the same
// matrix.
func Fetch[T float32 | float64](ctx context.Context, b *Batch, t *matrix.TallOf[T]) (*matrix.TallOf[T], error) {
	local := matrix.New[T](len(b.Items), t.Cols())
	if t.Whole() {
		for j, item := range b.Items {
			copy(local.Row(j), t.Row(int(item)))
		}
		return local, ctx.Err()
	}
	return local, move(ctx, b, b.wanted, b.own, t.Cols(), func(dst []T, item int32) { copy(dst, t.Row(int(item))) },
		func(values []T, place int, _ int32) { copy(local.Row(place), values) })
}

// Add adds the rows of local, one for each of Items, to those of t. A row gets those of several ranks in an order that depends on the number of
// ranks alone.
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
	places := b.places()
	return move(ctx, b, b.own, b.wanted, t.Cols(), func(dst []T, item int32) { copy(dst, local.Row(places.next(item))) },
		func(values []T, _ int, item int32) { add(values, item) })
}

// move sends a row for each of the items in sent[r] to rank r, and takes those of received[r] from it, some at a time. read fills a row to send, and
// write takes one that has come, of an item and its place among those that are received from all ranks.
func move[T float32 | float64](ctx context.Context, b *Batch, sent, received [][]int32, cols int, read func(dst []T, item int32), write func(values []T, place int, item int32)) error {
	c := collective.From(ctx)
	out, in := make([][]T, c.Size()), make([][]T, c.Size())
	for round := range b.rounds {
		for r := range out {
			items := piece(sent[r], round)
			out[r] = resize(out[r], len(items)*cols)
			for at, item := range items {
				read(out[r][at*cols:][:cols], item)
			}
			in[r] = resize(in[r], len(piece(received[r], round))*cols)
		}
		in[c.Rank()], out[c.Rank()] = out[c.Rank()], in[c.Rank()]
		if err := collective.Swap(ctx, c, out, in); err != nil {
			return err
		}
		first := 0 // the place of the first item of rank r
		for r := range in {
			for at, item := range piece(received[r], round) {
				write(in[r][at*cols:][:cols], first+round*pieceRows+at, item)
			}
			first += len(received[r])
		}
	}
	return ctx.Err()
}

// piece returns the items of one round.
func piece(items []int32, round int) []int32 {
	first := min(round*pieceRows, len(items))
	return items[first:min(first+pieceRows, len(items))]
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// places finds the places of items that are asked for in increasing order, rank by rank and again round by round.
type places struct {
	items []int32
	at    int
}

func (b *Batch) places() *places { return &places{items: b.Items} }

func (p *places) next(item int32) int {
	if p.at == len(p.items) || p.items[p.at] != item { // another rank's part, or the next round's
		low, high := 0, len(p.items)
		for low < high {
			if mid := (low + high) / 2; p.items[mid] < item {
				low = mid + 1
			} else {
				high = mid
			}
		}
		p.at = low
	}
	p.at++
	return p.at - 1
}
