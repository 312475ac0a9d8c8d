// This file holds the operations in which ranks meet. All of them are made of exchanges between pairs of ranks, so what
// they send is the same over every link: docs/distributed.md has the formulas.

package collective

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Barrier returns when every rank has called it.
func (c *Comm) Barrier(ctx context.Context) error {
	_, err := AllGather(ctx, c, []uint8{0})
	return err
}

// Broadcast sets the values of all ranks to those of rank root. Their number must be the same everywhere. Every rank
// but root receives them once: (P−1)·bytes in all, in a binomial tree of ⌈log₂ P⌉ rounds.
func Broadcast[T Value](ctx context.Context, c *Comm, root int, values []T) error {
	if c.Size() == 1 || len(values) == 0 {
		return ctx.Err()
	}
	defer c.enter()()
	data := bytesOf(values)
	own := (c.rank - root + c.size) % c.size // the root's is 0
	width := 1
	for ; width < c.size && own&width == 0; width <<= 1 {
	}
	if own != 0 {
		if err := c.exchange(ctx, -1, nil, (own-width+root)%c.size, data); err != nil {
			return err
		}
	}
	for width >>= 1; width > 0; width >>= 1 {
		if own+width < c.size {
			if err := c.exchange(ctx, (own+width+root)%c.size, data, -1, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// AllGather returns the values of every rank, in the order of the ranks. Their numbers may differ. Each rank's values
// travel around a ring: (P−1)·(bytes of all ranks) in all, and 8·P·(P−1) for the numbers.
func AllGather[T Value](ctx context.Context, c *Comm, values []T) ([][]T, error) {
	if c.Size() == 1 {
		return [][]T{values}, ctx.Err()
	}
	defer c.enter()()
	counts := make([]int64, c.size)
	counts[c.rank] = int64(len(values))
	if err := ring(ctx, c, func(r int) []byte { return bytesOf(counts[r : r+1]) }); err != nil {
		return nil, err
	}
	all := make([][]T, c.size)
	for r := range all {
		if r == c.rank {
			all[r] = values
		} else {
			all[r] = make([]T, counts[r])
		}
	}
	return all, ring(ctx, c, func(r int) []byte { return bytesOf(all[r]) })
}

// ring sends the parts of all ranks around: in round t, rank r passes on the part of rank r−t.
func ring(ctx context.Context, c *Comm, part func(rank int) []byte) error {
	next, before := (c.rank+1)%c.size, (c.rank-1+c.size)%c.size
	for t := range c.size - 1 {
		if err := c.exchange(ctx, next, part((c.rank-t+c.size)%c.size), before,
			part((c.rank-t-1+c.size)%c.size)); err != nil {
			return err
		}
	}
	return nil
}

// Share completes a vector of n values of which every rank has those of its Rows(n): afterwards all ranks have all. It
// moves (P−1)·bytes in all.
func Share[T Value](ctx context.Context, c *Comm, values []T) error {
	if c.Size() == 1 || len(values) == 0 {
		return ctx.Err()
	}
	defer c.enter()()
	return ring(ctx, c, func(r int) []byte {
		first, last := c.RowsOf(r, len(values))
		return bytesOf(values[first:last])
	})
}

// AllToAll sends parts[r] to rank r, for every r, and returns what each rank has sent to this one. The part of this
// rank is returned as it is. Every rank sends its parts once, and 8·(P−1) bytes for their lengths.
func AllToAll[T Value](ctx context.Context, c *Comm, parts [][]T) ([][]T, error) {
	if c.Size() == 1 {
		return parts, ctx.Err()
	}
	sent, expected, received := make([][]int64, c.size), make([][]int64, c.size), make([][]T, c.size)
	for r, part := range parts {
		sent[r], expected[r] = []int64{int64(len(part))}, []int64{0}
	}
	if err := Swap(ctx, c, sent, expected); err != nil {
		return nil, err
	}
	for r := range received {
		received[r] = make([]T, expected[r][0])
	}
	received[c.rank] = parts[c.rank]
	return received, Swap(ctx, c, parts, received)
}

// Swap is AllToAll where both sides know how much comes: it sends sent[r] to rank r and fills received[r] with what r
// has sent. What a rank would send to itself is left out. Every rank sends its parts once, and nothing else.
func Swap[T Value](ctx context.Context, c *Comm, sent, received [][]T) error {
	if len(sent) != c.Size() || len(received) != c.Size() {
		panic("collective: a part for every rank is needed")
	}
	if c.Size() == 1 {
		return ctx.Err()
	}
	defer c.enter()()
	for t := 1; t < c.size; t++ {
		to, from := (c.rank+t)%c.size, (c.rank-t+c.size)%c.size
		if err := c.exchange(ctx, to, bytesOf(sent[to]), from, bytesOf(received[from])); err != nil {
			return err
		}
	}
	return nil
}

// Sum replaces values, which must be as many on every rank, by their sums over the ranks, added in the order of the
// ranks. Integers have the same sum for any number of ranks; what is not whole has not (kernel.TreeSum has). It moves
// as much as AllGather.
func Sum[T Value](ctx context.Context, c *Comm, values []T) error {
	return combine(ctx, c, values, func(total, v T) T { return total + v })
}

// longPiece is the most values that SumLong sends to a rank at a time. Tests set it.
var longPiece = 1 << 20

// SumLong replaces the values of every rank, n of them, by their sums over the ranks, like Sum, for long vectors: each
// rank adds those of its Rows(n), in the order of the ranks, and then all get them. A rank sends its n values but those
// of its rows, and then those of its rows to all others: twice (P−1)/P·bytes where all have equally many rows. It holds
// P·8 MiB besides.
func SumLong[T Value](ctx context.Context, c *Comm, values []T) error {
	if c.Size() == 1 || len(values) == 0 {
		return context.Cause(ctx)
	}
	n := len(values)
	first, last := c.Rows(n)
	longest := 0
	for r := range c.size {
		low, high := c.RowsOf(r, n)
		longest = max(longest, high-low)
	}
	sent, received := make([][]T, c.size), make([][]T, c.size)
	for from := 0; from < longest; from += longPiece {
		own := values[min(first+from, last):min(first+from+longPiece, last)]
		for r := range sent {
			low, high := c.RowsOf(r, n)
			sent[r] = values[min(low+from, high):min(low+from+longPiece, high)]
			if len(received[r]) != len(own) {
				received[r] = make([]T, len(own))
			}
		}
		if err := Swap(ctx, c, sent, received); err != nil {
			return err
		}
		copy(received[c.rank], own)
		copy(own, received[0])
		for _, other := range received[1:] {
			for i, v := range other {
				own[i] += v
			}
		}
	}
	return Share(ctx, c, values)
}

// Max replaces values, which must be as many on every rank, by the greatest of all ranks.
func Max[T Value](ctx context.Context, c *Comm, values []T) error {
	return combine(ctx, c, values, func(total, v T) T { return max(total, v) })
}

// Min replaces values, which must be as many on every rank, by the least of all ranks.
func Min[T Value](ctx context.Context, c *Comm, values []T) error {
	return combine(ctx, c, values, func(total, v T) T { return min(total, v) })
}

func combine[T Value](ctx context.Context, c *Comm, values []T, fn func(total, v T) T) error {
	if c.Size() == 1 {
		return ctx.Err()
	}
	all, err := AllGather(ctx, c, values)
	if err != nil {
		return err
	}
	total := slices.Clone(all[0])
	for _, other := range all[1:] {
		if len(other) != len(total) {
			return fmt.Errorf("collective: ranks combine %d and %d values", len(total), len(other))
		}
		for i, v := range other {
			total[i] = fn(total[i], v)
		}
	}
	copy(values, total)
	return nil
}

// GatherJSON returns the values of every rank, in the order of the ranks; they move as JSON.
func GatherJSON[T any](ctx context.Context, c *Comm, own T) ([]T, error) {
	if c.Size() == 1 {
		return []T{own}, ctx.Err()
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	texts, err := AllGather(ctx, c, text)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(texts))
	for r, text := range texts {
		if err := json.Unmarshal(text, &all[r]); err != nil {
			return nil, fmt.Errorf("collective: rank %d sends %q: %w", r, text, err)
		}
	}
	return all, nil
}

// Move sends the values of rank from to rank to, which has as many. Other ranks, and a rank that sends to itself, do
// nothing; they need not call it. It moves the values once.
func Move[T Value](ctx context.Context, c *Comm, from, to int, values []T) error {
	rank := c.Rank()
	if from == to || rank != from && rank != to || len(values) == 0 {
		return ctx.Err()
	}
	defer c.enter()()
	if rank == from {
		return c.exchange(ctx, to, bytesOf(values), -1, nil)
	}
	return c.exchange(ctx, -1, nil, from, bytesOf(values))
}
