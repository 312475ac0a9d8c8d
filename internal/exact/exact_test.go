package exact

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/internal/collective"
)

// wide returns numbers of all sizes whose sum cancels.
func wide(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 7))
	values := []float64{5e-324, -2.5e-310, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 1, 1e-16}
	for range n {
		values = append(values, math.Ldexp(rng.NormFloat64(), rng.IntN(300)-150))
	}
	return values
}

func sumOf(values []float64) *Sum {
	s := &Sum{}
	for _, v := range values {
		s.Add(v)
	}
	return s
}

func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, n := range []int{0, 1, 10, 1000} {
		values := wide(n)
		exact := new(big.Float).SetPrec(2400)
		for _, v := range values {
			exact.Add(exact, big.NewFloat(v))
		}
		want, _ := exact.Float64()
		for range 5 {
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			if got := sumOf(values).Value(); got != want {
				t.Fatalf("%d values: %v, want %v", n, got, want)
			}
		}
	}
	for _, values := range [][]float64{nil, {0}, {-3}, {1, -1}, {0.1}, {math.MaxFloat64}, {-5e-324}} {
		want := 0.0
		for _, v := range values {
			want += v
		}
		if got := sumOf(values).Value(); got != want {
			t.Errorf("%v: %v", values, got)
		}
	}
	if got := sumOf([]float64{1, math.Inf(-1)}).Value(); !math.IsNaN(got) {
		t.Errorf("an infinite number gives %v", got)
	}
}

func TestSumCarries(t *testing.T) {
	s := &Sum{terms: mostTerms - 2} // soon carries are passed on
	for range 1000 {
		s.Add(-math.Pi)
	}
	want, _ := new(big.Float).SetPrec(200).Mul(big.NewFloat(-math.Pi), big.NewFloat(1000)).Float64()
	if got := s.Value(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestShare(t *testing.T) {
	values := wide(300)
	want := sumOf(values).Value()
	for _, ranks := range []int{1, 2, 3, 7} {
		err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			c := collective.From(ctx)
			own := sumOf(values[c.Rank()*len(values)/ranks : (c.Rank()+1)*len(values)/ranks])
			ones := sumOf([]float64{1})
			if err := Share(ctx, c.Layout(), own, ones); err != nil {
				return err
			}
			if own.Value() != want || ones.Value() != float64(ranks) {
				return fmt.Errorf("rank %d: %v and %v", c.Rank(), own.Value(), ones.Value())
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// TestUnits checks that sums of rounded terms do not depend on their order, and how far they are off, up to the
// greatest sums that a unit is for.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, scale := range []float64{1e-200, 1e-9, 1, 3e12, 1e200} {
		values, bound := make([]float64, 2000), 0.0
		for i := range values {
			values[i] = rng.NormFloat64() * scale
			if scale == 3e12 {
				values[i] = scale // all in one direction
			}
			bound += math.Abs(values[i])
		}
		u := UnitOf(bound)
		if !u.Holds(bound) || u.Holds(2*bound) && u != least {
			t.Fatalf("unit of %v", bound)
		}
		sum, whole := math.NaN(), int64(0)
		for trial := range 4 {
			a, b := 0.0, int64(0)
			for _, v := range values {
				a += u.Round(v)
				b += u.Whole(v)
			}
			if trial > 0 && (a != sum || b != whole) {
				t.Fatalf("the order shows: %v, %v", a, sum)
			}
			sum, whole = a, b
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		}
		exact := sumOf(values).Value()
		if off := math.Abs(sum - exact); off > 2000*bound*0x1p-50 {
			t.Errorf("scale %v: in doubles %v is off by %v", scale, sum, off)
		}
		if off := math.Abs(u.Value(whole) - exact); off > 2000*bound*0x1p-60 {
			t.Errorf("scale %v: in integers %v is off by %v", scale, u.Value(whole), off)
		}
	}
	if slices.ContainsFunc([]float64{0, 5e-324, math.Inf(1), math.NaN()}, func(bound float64) bool {
		u := UnitOf(bound)
		return u < least || u > most || math.IsInf(u.Shift(), 0) || u.Value(1) <= 0
	}) {
		t.Error("a unit that is no number")
	}
}

func BenchmarkSum(b *testing.B) {
	values, s := wide(1000), &Sum{}
	for b.Loop() {
		for _, v := range values {
			s.Add(v)
		}
	}
}
