package sketch

import (
	"context"
	"fmt"
	"math"
	"testing"

	"anchorage/corpus"
)

// part returns documents [from, to).
func part(docs *corpus.Documents, from, to int) *corpus.Documents {
	out := &corpus.Documents{Offsets: []int32{0}}
	for d := from; d < to; d++ {
		out.Append(docs.Row(d))
	}
	return out
}

// eigenOf makes a sketch and returns its eigenpairs.
func eigenOf(t *testing.T, docs *corpus.Documents, n, k int, opts Options) *Eigen {
	t.Helper()
	pass := inBatches(docs, 97)
	s, err := Accumulate(context.Background(), pass, numbered(n), opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Krylov(context.Background(), pass, k, opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// startFrom starts from the leading vectors of e.
func startFrom(e *Eigen) *Start {
	return &Start{Columns: e.Leading.Cols(), Row: func(dst []float64, item int) {
		for j, v := range e.Leading.Row(item) {
			dst[j] = float64(v)
		}
	}}
}

// TestStartSavesPasses starts from the vectors of nearly the same documents: the pairs are as accurate as from only
// random columns, and take fewer passes; and bits do not depend on workers.
func TestStartSavesPasses(t *testing.T) {
	const n, k = 300, 6
	docs := drawn(n, k, 2000)
	c, _ := denseC(docs, n)
	opts := Options{Columns: k + 30, Seed: 3, Workers: 2, Tolerance: 1e-6}
	cold := eigenOf(t, docs, n, k, opts)
	before := eigenOf(t, part(docs, 0, 1980), n, k, opts)
	if got := before.Leading.Cols(); got != k+GuardColumns {
		t.Fatalf("%d leading vectors", got)
	}
	warmed := opts
	warmed.Start = startFrom(before)
	warm := eigenOf(t, docs, n, k, warmed)
	if warm.Passes >= cold.Passes || warm.Passes < 2 {
		t.Errorf("%d passes, %d without a start", warm.Passes, cold.Passes)
	}
	checkPairs(t, "warm", c, n, warm, 1)
	for j, value := range warm.Values {
		if math.Abs(value-cold.Values[j]) > 1e-8*cold.Values[0] {
			t.Errorf("eigenvalue %d is %v, %v without a start", j, value, cold.Values[j])
		}
	}
	warmed.Workers = 3
	again := eigenOf(t, docs, n, k, warmed)
	for i := range n {
		for j, v := range again.Vectors.Row(i) {
			if v != warm.Vectors.Row(i)[j] {
				t.Fatalf("entry %d, %d is %v with 3 workers, %v with 2", i, j, v, warm.Vectors.Row(i)[j])
			}
		}
	}
}

// TestStartFindsWhatIsNew starts from the exact eigenvectors of documents over the first half of the items. Documents
// over the other half, with eigenvalues above theirs, must be found, though the residuals of the old pairs are 0 at
// once. So must vectors that a start of zeros or of equal columns leaves out.
func TestStartFindsWhatIsNew(t *testing.T) {
	const n, k = 120, 4
	old := drawn(n, k, 800)
	docs := part(old, 0, old.Documents())
	for d := range 1200 { // pairs of items that are new
		i := int32(n + 3*(d%5))
		docs.Append([]int32{i, i + 1, i + 2}, []int32{2, 1, 3})
	}
	const all = n + 15
	c, _ := denseC(docs, all)
	exact, _ := leading(t, c, all, k)
	opts := Options{Columns: k + 30, Seed: 5, Workers: 2}
	before := eigenOf(t, old, n, k, opts)
	known := startFrom(before)
	for name, start := range map[string]*Start{
		"old": {Columns: known.Columns, Row: func(dst []float64, item int) {
			clear(dst)
			if item < n {
				known.Row(dst, item)
			}
		}},
		"zeros": {Columns: k, Row: func(dst []float64, _ int) { clear(dst) }},
		"equal": {Columns: k, Row: func(dst []float64, item int) {
			for j := range dst {
				dst[j] = float64(item % 7)
			}
		}},
	} {
		opts.Start = start
		e := eigenOf(t, docs, all, k, opts)
		for j, value := range e.Values {
			if math.Abs(value-exact[j]) > 1e-3*exact[0] {
				t.Errorf("%s: eigenvalue %d is %v, want %v", name, j, value, exact[j])
			}
		}
	}
}

// TestStartOfAnInvariantSpace starts from all eigenvectors of a C of small rank: nothing is left to extend the space
// by.
func TestStartOfAnInvariantSpace(t *testing.T) {
	docs := &corpus.Documents{Offsets: []int32{0}}
	for range 5 {
		docs.Append([]int32{0, 1, 2}, []int32{1, 1, 1})
	}
	opts := Options{Columns: 3, Seed: 1, Workers: 1, Start: &Start{Columns: 2, Row: func(dst []float64, item int) {
		dst[0], dst[1] = 1, float64(item-1)
	}}}
	e := eigenOf(t, docs, 3, 1, opts)
	if math.Abs(e.Values[0]-1.0/3) > 1e-12 || e.Leading.Rows() != 3 {
		t.Errorf("%v", e.Values)
	}
}

// TestStartChecks wants panics where a start leaves no random column.
func TestStartChecks(t *testing.T) {
	for _, columns := range []int{0, 8, 9} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d of 8 columns: no panic", columns)
				}
			}()
			opts := Options{Columns: 8, Start: &Start{Columns: columns, Row: func(dst []float64, _ int) { clear(dst) }}}
			_, err := Accumulate(context.Background(), inBatches(drawn(20, 2, 30), 7), numbered(20), opts)
			t.Error(fmt.Sprint(err))
		}()
	}
}
