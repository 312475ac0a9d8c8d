package collective

import (
	"context"
	"fmt"
	"testing"

	"anchorage/matrix"
)

func TestSumLong(t *testing.T) {
	defer func(piece int) { longPiece = piece }(longPiece)
	longPiece = 1000
	for _, n := range []int{0, 1, 5 * matrix.BlockRows, 7*matrix.BlockRows + 5} {
		each(t, func(ctx context.Context, c *Comm) error {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(i) / float64(c.Rank()+3)
			}
			if err := SumLong(ctx, c, values); err != nil {
				return err
			}
			for i, v := range values {
				want := 0.0
				for r := range c.Size() {
					want += float64(i) / float64(r+3)
				}
				if v != want {
					return fmt.Errorf("value %d is %v, want %v", i, v, want)
				}
			}
			return nil
		})
	}
}
