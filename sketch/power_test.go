package sketch

import (
	"context"
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
)

// crowded are documents whose C has two negative eigenvalues, of half the modulus, for each of its four positive ones:
// every document has an item of each of three groups.
func crowded() (docs *corpus.Documents, n int) {
	const size = 3
	docs = &corpus.Documents{}
	for block, repeats := range []int{10, 5, 2, 1} {
		first := int32(block * 3 * size)
		for range repeats {
			for i := range int32(size * size * size) {
				docs.Append([]int32{first + i%size, first + size + i/size%size, first + 2*size + i/(size*size)}, []int32{1, 1, 1})
			}
		}
	}
	return docs, 4 * 3 * size
}

// TestPower wants subspace iteration to find the leading pairs, also where most eigenvalues of great modulus are
// negative.
func TestPower(t *testing.T) {
	negative, items := crowded()
	for name, c := range map[string]struct {
		docs *corpus.Documents
		n, k int
	}{"plain": {drawn(200, 6, 2000), 200, 6}, "negative eigenvalues": {negative, items, 4}} {
		for _, workers := range []int{1, 3} {
			dense, _ := denseC(c.docs, c.n)
			exact, _ := leading(t, dense, c.n, c.k)
			opts := Options{Columns: 2 * c.k, Passes: 52, Power: true, Seed: 4, Workers: workers}
			s, err := Accumulate(context.Background(), inBatches(c.docs, 100), numbered(c.n), opts)
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.Krylov(context.Background(), inBatches(c.docs, 100), c.k, opts)
			if err != nil {
				t.Fatal(name, err)
			}
			checkPairs(t, name, dense, c.n, e, 1.001)
			for j := range c.k {
				if math.Abs(e.Values[j]-exact[j]) > 1e-9*exact[0] {
					t.Errorf("%s: eigenvalue %d is %v, want %v", name, j, e.Values[j], exact[j])
				}
			}
			if w := slices.Max(e.Residuals); w > 1e-6 {
				t.Errorf("%s: residual %g", name, w)
			}
		}
	}
}
