package sketch

import (
	"context"
	"fmt"
	"testing"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// TestTraffic holds what a pass sends against the formula in docs/distributed.md.
func TestTraffic(t *testing.T) {
	const n, l, k = 5*matrix.BlockRows + 7, 24, 6
	docs := drawn(n, 4, 900)
	vocabulary := counted(docs, n)
	for _, p := range []int{2, 3, 5} {
		err := collective.Together(t.Context(), p, func(ctx context.Context) error {
			c := collective.From(ctx)
			own := rows(docs, c.Rank()*900/p, (c.Rank()+1)*900/p)
			pass := inBatches(own, 50)
			first, last := c.Rows(n)
			others := map[int32]bool{}
			for _, item := range own.Items {
				if int(item) < first || int(item) >= last {
					others[item] = true
				}
			}
			c.Begin("krylov")
			opts := Options{Columns: l, Seed: 1, Passes: 5, MaxBlocks: 3, Layout: collective.From(ctx).Layout()}
			s, err := Accumulate(ctx, pass, vocabulary, opts)
			if err != nil {
				return err
			}
			squares, err := s.ColumnSquares(ctx, 1)
			if err != nil {
				return err
			}
			eigen, err := s.Krylov(ctx, pass, k, opts)
			if err != nil {
				return err
			}
			s.Rest(ctx, eigen, squares, 1)
			c.Begin("first")
			s, err = Accumulate(ctx, pass, vocabulary, opts)
			if err != nil {
				return err
			}
			c.Begin("later")
			operator := Operator{Pass: pass, Marginals: &s.Marginals}
			if err := operator.Multiply(ctx, matrix.Like(s.Product), s.Product); err != nil {
				return err
			}
			c.Begin("evidence")
			v := matrix.NewShared[float64](collective.From(ctx).Layout(), n, k)
			for i := first; i < last; i++ {
				v.Row(i)[i%k] = 1
			}
			e := &Eigen{Values: []float64{6, 5, 4, 3, 2, 1}, Vectors: v}
			found, err := MeasureEvidence(ctx, pass, &s.Marginals, e, EvidenceOptions{})
			if err != nil {
				return err
			}
			_, moved := c.Moved()
			sent := []int64{moved["first"].Bytes, moved["later"].Bytes, moved["evidence"].Bytes, moved["krylov"].Bytes, moved["evidence"].Bytes}
			u := []int64{int64(len(others))}
			if err := collective.Sum(ctx, c, sent); err != nil {
				return err
			}
			if err := collective.Sum(ctx, c, u); err != nil {
				return err
			}
			forecast := RankTraffic{Items: n, Columns: l, Topics: k, Ranks: p, Others: u[0]}
			vector, halved := 8*n*int64(p-1), int64(len(found.Halves.Items))
			for at, want := range []int64{
				u[0]*(8*l+4) + 8*vector,
				u[0] * (16*l + 4),
				u[0]*(8*k+4) + 8*vector + 2*2*8*halved*(1+k)*int64(p-1),
				forecast.Krylov(opts.Passes, opts.MaxBlocks),
				forecast.Evidence(0),
			} {
				if got := sent[at]; float64(got) < 0.95*float64(want) || float64(got) > 1.05*float64(want) {
					return fmt.Errorf("pass %d sends %d bytes, not %d", at, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", p, err)
		}
	}
}

// TestHeldRows wants the memory forecast to know of as many rows as a rank holds.
func TestHeldRows(t *testing.T) {
	for _, n := range []int{0, 1, 5 * matrix.BlockRows, 300*matrix.BlockRows + 17} {
		for _, p := range []int{2, 3, 5, 64, 300} {
			most := 0
			err := collective.Together(t.Context(), p, func(ctx context.Context) error {
				if c := collective.From(ctx); c.Rank() == 0 {
					for r := range p {
						first, last := c.RowsOf(r, n)
						most = max(most, last-first)
					}
				}
				return nil
			})
			if got := heldRows(n, p); err != nil || got < most || got > 2*most {
				t.Errorf("%d rows, %d ranks: %d instead of %d, %v", n, p, got, most, err)
			}
		}
	}
}
