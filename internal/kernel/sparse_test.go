// This file tests the kernels of sparse corrections against naive twins.

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomTile returns rows×columns values at a distance of pitch, about the given share of them positive. Some are
// special.
func randomTile(rng *rand.Rand, rows, columns, pitch int, density float64) []float32 {
	special := []float32{float32(math.NaN()), float32(math.Copysign(0, -1)), 0, 1e-45, -1e-45, 1e-39, -1,
		float32(math.Inf(-1))}
	dense := make([]float32, rows*pitch+1)[1:] // not aligned
	for i := range dense {
		switch {
		case rng.Float64() < density:
			dense[i] = rng.Float32() + 0.01
		case rng.Float64() < 0.1:
			dense[i] = special[rng.IntN(len(special))]
		}
	}
	return dense[: (rows-1)*pitch+columns : (rows-1)*pitch+columns]
}

// newTile returns a tile to compact to, filled with what must not be seen afterwards.
func newTile(rows, columns int) SparseTile {
	t := SparseTile{make([]uint8, rows), make([]uint8, rows*columns+TileSlack), make([]float32, rows*columns+TileSlack)}
	for i := range t.Values {
		t.Columns[i], t.Values[i] = 0xee, -7
	}
	return t
}

func TestCompactAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, rows := range []int{1, 2, 7, TileRows} {
		for _, columns := range []int{16, 32, TileColumns} {
			for _, density := range []float64{0, 0.02, 0.3, 1} {
				pitch := columns + rng.IntN(3)
				dense := randomTile(rng, rows, columns, pitch, density)
				tile := newTile(rows, columns)
				tile.Compact(dense, rows, columns, pitch)
				at := 0
				for r := range rows {
					count := 0
					for j, v := range dense[r*pitch:][:columns] {
						if !(v > 0) {
							continue
						}
						if at >= len(tile.Values) || tile.Values[at] != v || int(tile.Columns[at]) != j {
							t.Fatalf("%d×%d, density %v: entry %d is not %v at row %d, column %d", rows, columns, density, at, v, r, j)
						}
						at++
						count++
					}
					if int(tile.Counts[r]) != count {
						t.Fatalf("%d×%d: row %d has %d entries, want %d", rows, columns, r, tile.Counts[r], count)
					}
				}
				if at != len(tile.Values) || at != len(tile.Columns) {
					t.Fatalf("%d×%d: %d values and %d columns, want %d", rows, columns, len(tile.Values), len(tile.Columns), at)
				}
				requireExpanded(t, &tile, dense, columns, pitch)
			}
		}
	}
}

// requireExpanded checks that a tile expands to the positive part of what it was compacted from.
func requireExpanded(t *testing.T, tile *SparseTile, dense []float32, columns, pitch int) {
	t.Helper()
	back := slices.Repeat([]float32{3}, len(dense))
	tile.Expand(back, columns, pitch)
	for r := range tile.Counts {
		for j, v := range dense[r*pitch:][:columns] {
			if want := max(v, 0); back[r*pitch+j] != want && v == v || v != v && back[r*pitch+j] != 0 {
				t.Fatalf("row %d, column %d: expanded to %v, was %v", r, j, back[r*pitch+j], v)
			}
		}
	}
	outside := 0.0
	inside := make([]bool, len(tile.Counts))
	for r := range inside {
		inside[r] = r%3 == 1
		for _, v := range dense[r*pitch:][:columns] {
			if v > 0 {
				outside += float64(v)
				if !inside[r] {
					outside += float64(v)
				}
			}
		}
	}
	if got := tile.SumOutside(inside); math.Abs(got-outside) > 1e-12*outside {
		t.Fatalf("sum is %v, want %v", got, outside)
	}
	squares, greatest := 0.0, float32(0)
	for r := range inside {
		for _, v := range dense[r*pitch:][:columns] {
			if v > 0 {
				squares += float64(v) * float64(v)
				if !inside[r] {
					squares += float64(v) * float64(v)
				}
				greatest = max(greatest, v)
			}
		}
	}
	if got, most := tile.SquaresOutside(inside); math.Abs(got-squares) > 1e-12*squares || most != greatest {
		t.Fatalf("squares sum to %v and %v is the greatest entry, want %v and %v", got, most, squares, greatest)
	}
}

func TestSparseProductAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	draw := func(n int) []float32 {
		s := make([]float32, n+1)[1:] // not aligned
		for i := range s {
			s[i] = float32(rng.NormFloat64())
		}
		return s
	}
	for _, rows := range []int{1, 3, 64, 65} {
		for _, stride := range []int{16, 32, 48, 64, 80, 112, 128, 144, 224, 272} {
			for _, density := range []float64{0, 0.05, 0.4} {
				const columns = TileColumns
				tile := newTile(rows, columns)
				tile.Compact(randomTile(rng, rows, columns, columns, density), rows, columns, columns)
				inside := make([]bool, rows)
				for r := range inside {
					inside[r] = rng.IntN(3) == 0
				}
				z, x, chosen, sums := draw(rows*stride), draw(rows*stride), draw(columns*stride), draw(columns*stride)
				wantZ, wantSums := widened(z), widened(sums)
				denseZ, denseSums, outside := slices.Clone(z), slices.Clone(sums), slices.Clone(x)
				naiveSparseProduct(&tile, inside, wantZ, widened(chosen), wantSums, widened(x), stride)
				SparseProduct(&tile, inside, z, chosen, sums, x, stride)
				requireNear(t, fmt.Sprintf("%d rows, stride %d: z", rows, stride), z, wantZ)
				requireNear(t, fmt.Sprintf("%d rows, stride %d: sums", rows, stride), sums, wantSums)

				dense := make([]float32, rows*columns)
				tile.Expand(dense, columns, columns)
				for r := range inside {
					if inside[r] {
						clear(outside[r*stride:][:stride])
					}
				}
				DenseProduct(dense, rows, columns, columns, denseZ, chosen, denseSums, outside, stride)
				requireNear(t, fmt.Sprintf("%d rows, stride %d: dense z", rows, stride), denseZ, wantZ)
				requireNear(t, fmt.Sprintf("%d rows, stride %d: dense sums", rows, stride), denseSums, wantSums)
			}
		}
	}
}

// naiveSparseProduct is SparseProduct in double precision.
func naiveSparseProduct(tile *SparseTile, inside []bool, z, chosen, sums, x []float64, stride int) {
	at := 0
	for r, count := range tile.Counts {
		for range count {
			v, j := float64(tile.Values[at]), int(tile.Columns[at])
			at++
			for l := range stride {
				z[r*stride+l] += v * chosen[j*stride+l]
				if !inside[r] {
					sums[j*stride+l] += v * x[r*stride+l]
				}
			}
		}
	}
}

func widened(s []float32) []float64 {
	w := make([]float64, len(s))
	for i, v := range s {
		w[i] = float64(v)
	}
	return w
}

func requireNear(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	for i, v := range want {
		if !(math.Abs(float64(got[i])-v) <= 1e-4) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// TestSparseProductSpecialValues checks that infinities and NaN of the vectors reach what they belong to and nothing
// else, and that denormals are not flushed.
func TestSparseProductSpecialValues(t *testing.T) {
	const stride, columns = 48, 16
	tile := SparseTile{Counts: []uint8{1, 0, 2}, Columns: []uint8{3, 0, 3}, Values: []float32{1e-45, 1, 2}}
	inside := []bool{false, false, true}
	z, x := make([]float32, 3*stride), make([]float32, 3*stride)
	chosen, sums := make([]float32, columns*stride), make([]float32, columns*stride)
	x[5], x[stride+6], x[2*stride+7] = 1, float32(math.NaN()), float32(math.Inf(1))
	chosen[3*stride+9], chosen[8], chosen[stride+8] = 1, float32(math.NaN()), float32(math.Inf(1))
	SparseProduct(&tile, inside, z, chosen, sums, x, stride)
	for i, v := range z {
		switch i {
		case 9:
			if v != 1e-45 {
				t.Errorf("a denormal has become %v", v)
			}
		case 2*stride + 8:
			if v == v {
				t.Errorf("NaN has become %v", v)
			}
		case 2*stride + 9:
			if v != 2 {
				t.Errorf("z is %v, want 2", v)
			}
		default:
			if v != 0 {
				t.Errorf("z has %v at %d", v, i)
			}
		}
	}
	for i, v := range sums {
		if want := float32(0); i == 3*stride+5 && v != 1e-45 || i != 3*stride+5 && v != want {
			t.Errorf("sums have %v at %d", v, i)
		}
	}
}

func TestAddAndClear(t *testing.T) {
	total, part := []float64{1, 2, 3}, []float32{0.5, 0.25, 1e-45}
	AddAndClear(total, part)
	if !slices.Equal(total, []float64{1.5, 2.25, 3}) || !slices.Equal(part, []float32{0, 0, 0}) {
		t.Fatalf("total %v, part %v", total, part)
	}
}
