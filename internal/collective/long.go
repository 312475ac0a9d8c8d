// This file adds vectors that have a value for every item.

package collective

import "context"

// longPiece is the most values that SumLong sends to a rank at a time. Tests set it.
var longPiece = 1 << 20

// SumLong replaces the values of every rank, n of them, by their sums over the ranks, like Sum, for long vectors: each rank adds those of its
// Rows(n), in the order of the ranks, and then all get them. A rank sends its n values but those of its rows, and then those of its rows to all others:
// twice (P−1)/P·bytes where all have equally many rows. It holds P·8 MiB besides.
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
