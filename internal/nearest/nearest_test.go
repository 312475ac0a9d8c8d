// This file holds the search against a naive twin, and measures it.

package nearest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// drawn returns a matrix of standard normal values; every seventh row is zero and every eleventh like the one before
// it.
func drawn(rows, cols int) *matrix.Single {
	t := matrix.NewSingle(rows, cols)
	for i := range rows {
		switch {
		case i%7 == 3:
		case i%11 == 5:
			copy(t.Row(i), t.Row(i-1))
		default:
			for j := range cols {
				u, v := random.At(1, random.Test, uint64(i), uint64(2*j)), random.At(1, random.Test, uint64(i), uint64(2*j+1))
				t.Row(i)[j] = float32(math.Sqrt(-2*math.Log(float64(u>>11+1)/(1<<53))) * math.Cos(2*math.Pi*float64(v>>11)/(1<<53)))
			}
		}
	}
	return t
}

// naive returns the rows with a positive cosine to row i, the greatest first.
func naive(t *matrix.Single, i, count int) (rows []int, cosines []float64) {
	var all []int
	of := make([]float64, t.Rows())
	product := func(x, y []float32) (sum float64) {
		for j := range x {
			sum += float64(x[j]) * float64(y[j])
		}
		return sum
	}
	for j := range t.Rows() {
		of[j] = product(t.Row(i), t.Row(j)) / math.Sqrt(product(t.Row(i), t.Row(i))*product(t.Row(j), t.Row(j)))
		if j != i && of[j] > 1e-9 { // false for NaN
			all = append(all, j)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	all = all[:min(count, len(all))]
	for _, j := range all {
		cosines = append(cosines, of[j])
	}
	return all, cosines
}

func TestSearchAgainstNaive(t *testing.T) {
	for _, rows := range []int{1, 2, 63, 65, 4096, 4097, 9000} {
		for _, cols := range []int{1, 3, 16, 50} {
			m := drawn(rows, cols)
			x := New(m.Copy(cols))
			for _, i := range []int{0, rows / 2, rows - 1} {
				for _, count := range []int{0, 1, 10, rows + 5} {
					want, cosines := naive(m, i, count)
					for _, workers := range []int{1, 3} {
						found := x.Search(i, count, workers)
						if len(found) != len(want) {
							t.Fatalf("%d×%d, row %d: %d rows found, want %d", rows, cols, i, len(found), len(want))
						}
						for r, e := range found {
							if math.Abs(e.Score-cosines[r]) > 1e-6 {
								t.Fatalf("%d×%d, row %d, place %d: row %d with %v, want %d with %v", rows, cols, i, r, e.Item, e.Score,
									want[r], cosines[r])
							}
						}
						if again := x.Search(i, count, 2); !slices.Equal(again, found) {
							t.Fatalf("%d×%d, row %d: %d workers find %v, 2 workers %v", rows, cols, i, workers, found, again)
						}
					}
				}
			}
		}
	}
}

func TestEmptyRows(t *testing.T) {
	x := New(drawn(40, 5))
	if !empty(x, 3) || empty(x, 4) {
		t.Error("only row 3 is empty")
	}
	if found := x.Search(3, 10, 1); len(found) != 0 {
		t.Errorf("%v is near a row of zeros", found)
	}
	if c := dot(x.rows.Row(4), x.rows.Row(5)); math.Abs(c-1) > 1e-6 {
		t.Errorf("equal rows have cosine %v", c)
	}
	for _, e := range x.Search(0, 40, 1) {
		if empty(x, e.Item) || e.Item == 0 {
			t.Errorf("row %d is found", e.Item)
		}
	}
}

func TestSearchTogether(t *testing.T) {
	x := New(drawn(5000, 20))
	want := x.Search(8, 5, 1)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if found := x.Search(8, 5, 1); !slices.Equal(found, want) {
				t.Errorf("found %v, want %v", found, want)
			}
		})
	}
	group.Wait()
}

// BenchmarkSearch searches drawn vectors with one worker. On a busy machine the processor time counts, not the time
// that passes.
func BenchmarkSearch(b *testing.B) {
	for _, rows := range []int{100_000, 1_000_000} {
		x := Index{matrix.NewSingle(rows, 100)}
		for i := range rows {
			for j := 0; j < 100; j += 2 {
				bits := random.At(1, random.Test, uint64(i), uint64(j))
				x.rows.Row(i)[j], x.rows.Row(i)[j+1] = float32(int32(bits))/(1<<31), float32(int32(bits>>32))/(1<<31)
			}
		}
		index := New(x.rows)
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			b.SetBytes(int64(rows) * 400)
			begin := process.CPUSeconds()
			for i := range b.N {
				index.Search(i%rows, 10, 1)
			}
			b.ReportMetric((process.CPUSeconds()-begin)/float64(b.N)*1000, "cpu-ms/op")
		})
	}
}

// empty reports whether a row has only zeros.
func empty(x *Index, i int) bool { return dot(x.rows.Row(i), x.rows.Row(i)) == 0 }
