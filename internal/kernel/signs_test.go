package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// awkward are values that arithmetic treats in special ways.
var awkward = []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 0x1p-1022, math.MaxFloat64, -math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN()}

// sameBits compares bits; one NaN is as good as another.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// TestAddSignsAgainstGo compares bits, over all widths and lengths that leave something over, at places that are
// aligned to nothing.
func TestAddSignsAgainstGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for width := 0; width <= SignColumns; width += 8 {
		for _, n := range []int{0, 1, 2, 7, 64, 301} {
			for special := -1; special < len(awkward); special++ {
				signs, weights, z := make([]uint64, n+1)[1:], randomSlice(rng, n+1)[1:], randomSlice(rng, width+3)[1:]
				for i := range signs {
					signs[i] = rng.Uint64()
				}
				if special >= 0 && n > 0 && width > 0 {
					weights[rng.IntN(n)] = awkward[special]
					z[rng.IntN(width)] = awkward[special]
				}
				want := append([]float64(nil), z...)
				goAddSigns(want[:width], signs, weights)
				AddSigns(z[:width], signs, weights)
				for j := range z {
					if !sameBits(z[j], want[j]) {
						t.Fatalf("width %d, %d signs, special %d: column %d is %v, want %v", width, n, special, j, z[j], want[j])
					}
				}
			}
		}
	}
}

// TestSignsOfZeroWeights looks at the one sum whose bits depend on every sign: of zeros.
func TestSignsOfZeroWeights(t *testing.T) {
	z := make([]float64, 16)
	for j := range z {
		z[j] = math.Copysign(0, -1)
	}
	AddSigns(z, []uint64{0xa5a5}, []float64{0})
	for j, v := range z {
		if minus := 0xa5a5>>j&1 == 1; math.Signbit(v) != minus {
			t.Errorf("−0 and a zero with sign %v are %v in column %d", minus, v, j)
		}
	}
}

func TestAddSignsChecksShapes(t *testing.T) {
	for name, call := range map[string]func(){
		"odd width":     func() { AddSigns(make([]float64, 7), make([]uint64, 1), make([]float64, 1)) },
		"too wide":      func() { AddSigns(make([]float64, 72), make([]uint64, 1), make([]float64, 1)) },
		"other lengths": func() { AddSigns(make([]float64, 8), make([]uint64, 2), make([]float64, 1)) },
	} {
		if !panics(call) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func panics(call func()) (did bool) {
	defer func() { did = recover() != nil }()
	call()
	return false
}

func BenchmarkAddSigns(b *testing.B) {
	const n = 30 // items of a document
	rng := rand.New(rand.NewPCG(5, 2))
	signs, weights, z := make([]uint64, n), randomSlice(rng, n), make([]float64, SignColumns)
	for i := range signs {
		signs[i] = rng.Uint64()
	}
	for b.Loop() {
		AddSigns(z, signs, weights)
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Msigns64/s")
}
