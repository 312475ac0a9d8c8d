package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/matrix"
)

// kept has the rows of a matrix that is away.
type kept struct {
	rows     *matrix.Tall
	released bool
}

func (k *kept) Read(values []float64, first int) error {
	for at, stride := 0, k.rows.Stride(); at < len(values); at += stride {
		copy(values[at:at+stride], k.rows.PaddedRow(first+at/stride))
	}
	return nil
}

func (k *kept) Release() { k.released = true }

// TestAway computes products with matrices that are away: they have the bits of those that memory holds.
func TestAway(t *testing.T) {
	ctx := t.Context()
	for _, rows := range []int{0, 1, pieceRows + 3, 3*matrix.BlockRows + 700} {
		a, b := randomTall(rand.New(rand.NewPCG(1, 1)), rows, 21), randomTall(rand.New(rand.NewPCG(1, 2)), rows, 13)
		put := func() (*matrix.Tall, *kept) {
			away, k := a.Copy(a.Cols()), &kept{rows: a}
			away.PutAway(k)
			return away, k
		}
		away, k := put()
		if !away.IsAway() || a.IsAway() {
			t.Fatal("the wrong one is away")
		}
		small := Gram(ctx, a, b, 3)
		if got := Gram(ctx, away, b, 2); !slices.Equal(got, small) {
			t.Errorf("%d rows: another Gram matrix", rows)
		}
		want, got := b.Copy(b.Cols()), b.Copy(b.Cols())
		MultiplyAdd(ctx, want, -1, a, small, 1)
		MultiplyAdd(ctx, got, -1, away, small, 3)
		sameRows(t, got, want)
		if rows == 0 {
			continue
		}
		both := append(slices.Clone(small), small...)
		want = Combined(ctx, []*matrix.Tall{a.Copy(21), a.Copy(21)}, both, 13, 2, nil)
		other, _ := put()
		got = Combined(ctx, []*matrix.Tall{away, other}, both, 13, 2, nil)
		sameRows(t, got, want)
		if !k.released {
			t.Error("what is away was not released")
		}
	}
}

func sameRows(t *testing.T, got, want *matrix.Tall) {
	t.Helper()
	for i := range want.Rows() {
		if !slices.Equal(got.Row(i), want.Row(i)) {
			t.Fatalf("%d rows: row %d is %v, want %v", want.Rows(), i, got.Row(i), want.Row(i))
		}
	}
}
