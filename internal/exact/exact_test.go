package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// sumOf returns the number nearest to a sum.
func sumOf(values []float64) float64 {
	sum := new(big.Float).SetPrec(2400)
	for _, v := range values {
		sum.Add(sum, big.NewFloat(v))
	}
	nearest, _ := sum.Float64()
	return nearest
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
				a += v + u.Shift() - u.Shift()
				b += u.Whole(v)
			}
			if trial > 0 && (a != sum || b != whole) {
				t.Fatalf("the order shows: %v, %v", a, sum)
			}
			sum, whole = a, b
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		}
		exact := sumOf(values)
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
