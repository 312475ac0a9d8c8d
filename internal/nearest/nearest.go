// Package nearest finds the rows of a tall matrix that point most nearly the same way as a given row.
//
// The search is exact: one product of the whole matrix with the query, in single precision through the kernels. It
// reads every value once, so memory limits it: 10⁶ rows of 100 values are 448 MB.
package nearest

import (
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// Index is a matrix of n rows that is ready to be searched. Several goroutines may search it at once.
type Index struct{ rows *matrix.Single }

// spare is how many more rows than asked for are compared in double precision: single precision may put neighbours in
// another order, and does so differently with other instructions.
const spare = 32

// New makes an index of the rows of t. It takes t over and scales its rows to length 1; rows of zeros stay as they are.
func New(t *matrix.Single) *Index {
	for i := range t.Rows() {
		row := t.Row(i)
		if length := math.Sqrt(dot(row, row)); length > 0 {
			for j, v := range row {
				row[j] = float32(float64(v) / length)
			}
		}
	}
	return &Index{t}
}

// Search returns the count rows of the greatest cosine with row i, the greatest first and never i itself; of equal ones
// the first rows. Rows of zeros and cosines of 0 and less are left out. Up to workers goroutines share the work; 0
// means one per processor.
func (x *Index) Search(i, count, workers int) []toplist.Entry {
	return x.SearchBy(x.rows.Row(i), i, count, workers, func(_ int, cosine float64) float64 { return cosine })
}

// Row returns row i, of length 1 or 0.
func (x *Index) Row(i int) []float32 { return x.rows.Row(i) }

// SearchBy is Search for a query of length 1, by a score that row j and its cosine have, and that grows with the
// cosine. Row without is left out; −1 for none.
func (x *Index) SearchBy(query []float32, without, count, workers int, score func(j int,
	cosine float64) float64) []toplist.Entry {
	if count <= 0 {
		return nil
	}
	lists := slices.Repeat([]toplist.List{toplist.New(count + spare)}, kernel.Pieces(x.rows))
	kernel.EachScore(x.rows, query, workers, func(piece, first int, cosines []float32) {
		list := &lists[piece]
		for r, cosine := range cosines {
			value := score(first+r, float64(cosine))
			// A later row of the same score comes after those of a full list.
			if value > max(list.Floor(), 0) && first+r != without {
				list.Offer(first+r, value)
			}
		}
	})
	near := toplist.New(count + spare)
	for p := range lists {
		near.Merge(&lists[p])
	}
	found := toplist.New(count)
	for _, e := range near.Sorted() {
		found.Offer(e.Item, score(e.Item, dot(query, x.rows.Row(e.Item))))
	}
	return found.Sorted()
}

// dot returns x·y, summed in double precision, in order.
func dot(x, y []float32) float64 {
	y = y[:len(x)]
	sum := 0.0
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}
