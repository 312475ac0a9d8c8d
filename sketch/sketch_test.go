package sketch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// inBatches returns a pass over docs in batches of the given number of documents.
func inBatches(docs *corpus.Documents, batch int) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		for first := 0; first < docs.Documents(); first += batch {
			last := min(first+batch, docs.Documents())
			part := &corpus.Documents{}
			start := docs.Offsets[first]
			for _, offset := range docs.Offsets[first : last+1] {
				part.Offsets = append(part.Offsets, offset-start)
			}
			part.Items = docs.Items[start:docs.Offsets[last]]
			part.Counts = docs.Counts[start:docs.Offsets[last]]
			if docs.Weights != nil {
				part.Weights = docs.Weights[first:last]
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(part); err != nil {
				return err
			}
		}
		return nil
	}
}

// numbered is a vocabulary of n items.
func numbered(n int) *corpus.Vocabulary {
	v := corpus.NewVocabulary()
	for i := range n {
		v.Intern([]byte(fmt.Sprintf("item %d", i)))
	}
	return v
}

// denseC is C by its definition, N×N, with the sums that go with it.
func denseC(docs *corpus.Documents, n int) (c []float64, m int64) {
	c = make([]float64, n*n)
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		tokens := 0.0
		for _, count := range counts {
			tokens += float64(count)
		}
		if tokens < 2 {
			continue
		}
		m++
		for a, i := range items {
			for b, j := range items {
				pairs := float64(counts[a]) * float64(counts[b])
				if i == j {
					pairs = float64(counts[a]) * float64(counts[a]-1)
				}
				c[int(i)*n+int(j)] += pairs / (tokens * (tokens - 1))
			}
		}
	}
	for i := range c {
		c[i] /= float64(m)
	}
	return c, m
}

func drawn(n, k, documents int) *corpus.Documents {
	docs, _ := synth.Model{Items: n, Topics: k, Documents: documents, Tokens: 20, Concentration: 0.2, Seed: 1}.Draw()
	// A document without a pair, and one without items, in the middle of the others.
	docs.Items = append(docs.Items, 3)
	docs.Counts = append(docs.Counts, 1)
	docs.Offsets = append(docs.Offsets, int32(len(docs.Items)), int32(len(docs.Items)))
	return docs
}

func TestCollectAgainstDense(t *testing.T) {
	const n = 120
	docs := drawn(n, 4, 300)
	c, m := denseC(docs, n)
	vocabulary := numbered(n)
	s, err := Accumulate(context.Background(), inBatches(docs, 37), vocabulary, Options{Columns: 70, Seed: 3, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if s.Marginals.Documents != m {
		t.Fatalf("counts %d documents, want %d", s.Marginals.Documents, m)
	}
	omegaRows := make([]float64, n*70)
	for i := range n {
		setRow(s.omega(), omegaRows[i*70:(i+1)*70], i, vocabulary.Key(i))
	}
	want := kernel.Times(context.Background(), c, omegaRows, n, n, 70)
	p := s.Marginals.Probabilities()
	for i := range n {
		rowSum := 0.0
		for j := range n {
			rowSum += c[i*n+j]
		}
		if math.Abs(p[i]-rowSum) > 1e-14 {
			t.Fatalf("p[%d] is %v, row sum %v", i, p[i], rowSum)
		}
		for j := range 70 {
			if got := s.Product.Row(i)[j] / float64(m); math.Abs(got-want[i*70+j]) > 1e-13 {
				t.Fatalf("entry %d,%d of C·Ω is %v, want %v", i, j, got, want[i*70+j])
			}
		}
	}
}

func TestDenseAgainstDefinition(t *testing.T) {
	const n = 120
	docs := drawn(n, 4, 300)
	want, m := denseC(docs, n)
	for _, workers := range []int{1, 3} {
		c, marginals, err := Dense(context.Background(), inBatches(docs, 37), n, nil, 0, 0, workers)
		if err != nil {
			t.Fatal(err)
		}
		if marginals.Documents != m {
			t.Fatalf("counts %d documents, want %d", marginals.Documents, m)
		}
		sum := 0.0
		for i := range n {
			for j, v := range c.Row(i) {
				if math.Abs(v-want[i*n+j]) > 1e-16 {
					t.Fatalf("entry %d,%d is %v, want %v", i, j, v, want[i*n+j])
				}
				sum += v
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("entries sum to %v", sum)
		}
	}
	var tooLarge *DenseError
	if _, _, err := Dense(context.Background(), inBatches(docs, 37), n, nil, 0, 1000, 1); !errors.As(err, &tooLarge) {
		t.Errorf("a limit of 1000 bytes: %v", err)
	}
}

func TestOmegaIsBalancedAndKeyed(t *testing.T) {
	o := omega{seed: 7, cols: 130}
	row, again := make([]float64, 130), make([]float64, 130)
	sums := make([]float64, 130)
	const n = 4000
	for i := range uint64(n) {
		setRow(o, row, 0, corpus.Key(fmt.Appendf(nil, "%d", i)))
		for j, v := range row {
			if v != 1 && v != -1 {
				t.Fatalf("entry %v", v)
			}
			sums[j] += v
		}
	}
	for j, s := range sums {
		if math.Abs(s) > 5*math.Sqrt(n) {
			t.Errorf("column %d sums to %v over %d rows", j, s, n)
		}
	}
	setRow(o, again, 0, corpus.Key([]byte("3999")))
	if fmt.Sprint(row) != fmt.Sprint(again) {
		t.Error("the same item has another row")
	}
	wider := omega{seed: 7, cols: 200}
	wide := make([]float64, 200)
	setRow(wider, wide, 0, corpus.Key([]byte("3999")))
	if fmt.Sprint(wide[:130]) != fmt.Sprint(row) {
		t.Error("more columns change the first ones")
	}
}

// leading are the exact leading eigenpairs of a dense matrix.
func leading(t *testing.T, c []float64, n, k int) (values, vectors []float64) {
	t.Helper()
	values, vectors, err := kernel.SymmetricEigen(context.Background(), c, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return values, kernel.FirstColumns(vectors, n, n, k)
}

// measuredResiduals are ‖C·v − λ·v‖/λ₁ by a dense C.
func measuredResiduals(c []float64, n int, e *Eigen) []float64 {
	var measured []float64
	for j, value := range e.Values {
		sum := 0.0
		for i := range n {
			r := -value * e.Vectors.Row(i)[j]
			for l := range n {
				r += c[i*n+l] * e.Vectors.Row(l)[j]
			}
			sum += r * r
		}
		measured = append(measured, math.Sqrt(sum)/e.Values[0])
	}
	return measured
}

// checkPairs holds the reported residuals against measured ones, which are at most slack times as large, and where they
// are estimates at least as small.
func checkPairs(t *testing.T, name string, c []float64, n int, e *Eigen, slack float64) {
	t.Helper()
	for j, measured := range measuredResiduals(c, n, e) {
		if measured > slack*e.Residuals[j]+1e-11 || e.Estimated && e.Residuals[j] > slack*measured+1e-11 {
			t.Errorf("%s: pair %d has residual %.3g, reported %.3g", name, j, measured, e.Residuals[j])
		}
	}
}

func TestKrylovAgainstDense(t *testing.T) {
	const n, k = 300, 6
	docs := drawn(n, k, 2000)
	c, _ := denseC(docs, n)
	exact, _ := leading(t, c, n, k)
	for _, opts := range []Options{
		{Passes: 2}, {Passes: 4}, {Passes: 8}, {}, {Tolerance: 1e-7}, {Passes: 14, MaxBlocks: 2},
		{Tolerance: 1e-6, MaxBlocks: 3},
	} {
		opts.Columns, opts.Seed, opts.Workers = k+10, 11, 2
		name := fmt.Sprintf("passes %d, tolerance %g, blocks %d", opts.Passes, opts.Tolerance, opts.MaxBlocks)
		s, err := Accumulate(context.Background(), inBatches(docs, 500), numbered(n), opts)
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Krylov(context.Background(), inBatches(docs, 500), k, opts)
		if err != nil {
			t.Fatal(name, err)
		}
		if opts.Passes > 0 && e.Passes != opts.Passes {
			t.Errorf("%s: took %d passes", name, e.Passes)
		}
		if coarse := opts.Passes == 0 && opts.Tolerance == 0; coarse != (e.Singles > 0) {
			t.Errorf("%s: %d passes in single precision", name, e.Singles)
		}
		checkPairs(t, name, c, n, e, 1.001)
		if measured := slices.Max(measuredResiduals(c, n, e)); measured > 0.8*slices.Max(e.Residuals)+1e-12 {
			t.Errorf("%s: half a step more leaves a residual of %g of %g", name, measured, slices.Max(e.Residuals))
		}
		bound := 2 * slices.Max(e.Residuals) * e.Values[0]
		for j := range k {
			if math.Abs(e.Values[j]-exact[j]) > bound {
				t.Errorf("%s: eigenvalue %d is %v, want %v", name, j, e.Values[j], exact[j])
			}
		}
		tolerance := opts.tolerance() * e.Values[k-1] / e.Values[0]
		if opts.Passes == 0 && slices.Max(e.Residuals) > tolerance {
			t.Errorf("%s: stopped at residual %g", name, slices.Max(e.Residuals))
		}
		gram := kernel.Gram(context.Background(), e.Vectors, e.Vectors, 1)
		for i := range k {
			gram[i*k+i]--
		}
		for _, v := range gram {
			if math.Abs(v) > 1e-12 {
				t.Fatalf("%s: vectors are orthonormal to %g only", name, v)
			}
		}
	}
}

// TestKrylovInvariantSpace lets the space become all there is: it must end early, with exact pairs.
func TestKrylovInvariantSpace(t *testing.T) {
	const n, k = 24, 5
	docs := drawn(n, 3, 400)
	c, _ := denseC(docs, n)
	exact, _ := leading(t, c, n, k)
	opts := Options{Columns: 15, Passes: 12, Seed: 2}
	s, err := Accumulate(context.Background(), inBatches(docs, 50), numbered(n), opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Krylov(context.Background(), inBatches(docs, 50), k, opts)
	if err != nil {
		t.Fatal(err)
	}
	if e.Passes >= 12 {
		t.Errorf("took %d passes over a space of %d dimensions", e.Passes, n)
	}
	for j := range k {
		if math.Abs(e.Values[j]-exact[j]) > 1e-13 {
			t.Errorf("eigenvalue %d is %v, want %v", j, e.Values[j], exact[j])
		}
	}
}

func TestStreamedAgainstDense(t *testing.T) {
	const n, k = 300, 6
	docs := drawn(n, k, 2000)
	c, _ := denseC(docs, n)
	exact, _ := leading(t, c, n, k)
	previous := math.Inf(1)
	for _, columns := range []int{4 * k, 16 * k, 40 * k} {
		s, err := Stream(context.Background(), inBatches(docs, 500), numbered(n), StreamOptions{Columns: columns,
			Seed: 4, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Eigen(context.Background(), k, 2)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Estimated || e.Passes != 1 {
			t.Error("residuals of a single pass are not marked as estimates")
		}
		checkPairs(t, fmt.Sprintf("L %d", columns), c, n, e, 3)
		off := 0.0
		for j := range k {
			off += math.Abs(e.Values[j]-exact[j]) / exact[0]
		}
		if off > previous {
			t.Errorf("L %d: eigenvalues are off by %g, with fewer columns by %g", columns, off, previous)
		}
		previous = off
	}
	if previous > 0.02 {
		t.Errorf("with 40K columns the eigenvalues are off by %g in all", previous)
	}
}

func TestSameBitsForAnyWorkersAndBatches(t *testing.T) {
	const n, k = 150, 4
	docs := drawn(n, k, 600)
	run := func(passes, workers, batch int) string {
		opts := Options{Columns: k + 10, Passes: passes, Seed: 8, Workers: workers}
		s, err := Accumulate(context.Background(), inBatches(docs, batch), numbered(n), opts)
		if err != nil {
			t.Fatal(err)
		}
		result := fmt.Sprint(s.Marginals)
		e, err := s.Krylov(context.Background(), inBatches(docs, batch), k, opts)
		if err != nil {
			t.Fatal(err)
		}
		result += fmt.Sprint(e.Values, e.Residuals)
		for i := range n {
			result += fmt.Sprint(e.Vectors.Row(i))
		}
		return result
	}
	for _, passes := range []int{3, 0} { // in double precision, and in single precision after the second
		want := run(passes, 1, 100)
		for _, c := range [][2]int{{1, 1}, {2, 100}, {3, 1000}, {7, 64}} {
			if run(passes, c[0], c[1]) != want {
				t.Errorf("%d passes, %d workers, batches of %d: other bits", passes, c[0], c[1])
			}
		}
	}
}

func TestMerge(t *testing.T) {
	const n = 100
	docs := drawn(n, 3, 400)
	collect := func(pass corpus.Pass, vocabulary *corpus.Vocabulary, opts StreamOptions) *Streamed {
		s, err := Stream(context.Background(), pass, vocabulary, opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	opts := StreamOptions{Columns: 30, Seed: 5}
	whole := collect(inBatches(docs, 50), numbered(n), opts)
	var merged *Streamed
	number := 0
	err := inBatches(docs, 150)(context.Background(), func(part *corpus.Documents) error {
		s := collect(inBatches(part, 20), numbered(n), opts)
		if number++; merged == nil {
			merged = s
			return nil
		}
		return merged.Merge(s)
	})
	if err != nil || number != 3 {
		t.Fatal(err, number)
	}
	if merged.Marginals.Documents != whole.Marginals.Documents {
		t.Fatalf("merged %d documents, want %d", merged.Marginals.Documents, whole.Marginals.Documents)
	}
	for i := range n {
		for j, v := range merged.Product.Row(i) {
			if math.Abs(float64(v-whole.Product.Row(i)[j])) > 1e-5*float64(merged.Marginals.Documents) {
				t.Fatalf("entry %d,%d is %v, want %v", i, j, v, whole.Product.Row(i)[j])
			}
		}
	}
	for reason, other := range map[string]*Streamed{
		"seeds":        collect(inBatches(docs, 50), numbered(n), StreamOptions{Columns: 30, Seed: 6}),
		"columns":      collect(inBatches(docs, 50), numbered(n), StreamOptions{Columns: 31, Seed: 5}),
		"vocabularies": collect(inBatches(docs, 50), numbered(n+1), opts),
	} {
		if err := merged.Merge(other); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("different %s: %v", reason, err)
		}
	}
}

func TestRankErrors(t *testing.T) {
	// Two kinds of documents: C has two positive eigenvalues at most.
	docs := &corpus.Documents{Offsets: []int32{0}}
	for d := range 40 {
		first := int32(d % 2 * 10)
		for i := range int32(10) {
			docs.Items = append(docs.Items, first+i)
			docs.Counts = append(docs.Counts, 3)
		}
		docs.Offsets = append(docs.Offsets, int32(len(docs.Items)))
	}
	empty := &corpus.Documents{Offsets: []int32{0, 0, 0}}
	alike := &corpus.Documents{Offsets: []int32{0}}
	for range 2 {
		for i := range int32(20) {
			alike.Items, alike.Counts = append(alike.Items, i), append(alike.Counts, 3)
		}
		alike.Offsets = append(alike.Offsets, int32(len(alike.Items)))
	}
	for _, c := range []struct {
		docs   *corpus.Documents
		want   int
		single string // the message of a single pass
		all    string // that of several
	}{
		{docs, 2, "a single pass of 16 columns finds 2 positive eigenvalues", "there can be at most 2 topics"},
		{alike, 1, "a single pass of 16 columns finds only one positive eigenvalue", "all documents look alike"},
		{empty, 0, "a single pass of 16 columns finds no positive eigenvalue", "has no positive eigenvalue"},
	} {
		for _, passes := range []int{1, 4} {
			pass := inBatches(c.docs, 7)
			err := eigenpairsOf(pass, passes)
			var rank *RankError
			if !errors.As(err, &rank) || rank.Topics != 5 || rank.Rank != c.want {
				t.Fatalf("%d passes: %v, want rank %d", passes, err, c.want)
			}
			message := c.all
			if passes == 1 {
				message = c.single
			}
			if !strings.Contains(err.Error(), message) {
				t.Errorf("%d passes: %v, want %q", passes, err, message)
			}
		}
	}
}

// TestStraightenedRank wants eigenpairs that rounding has made dependent or negative to be the fault of the single
// pass, not of C.
func TestStraightenedRank(t *testing.T) {
	for name, e := range map[string]*Eigen{
		"dependent": {Values: []float64{1, 0.5}, Vectors: matrix.NewTall(3, 2)},
		"negative":  {Values: []float64{1, -0.5}, Vectors: matrix.NewTall(3, 2)},
	} {
		e.Vectors.Row(0)[0], e.Vectors.Row(0)[1] = 1, 1
		if name == "negative" {
			e.Vectors.Row(1)[1] = 1
		}
		err := e.straighten(context.Background(), 16, 1)
		if want := (RankError{Topics: 2, Rank: 1, Columns: 16}); err == nil || *err.(*RankError) != want {
			t.Errorf("%s: %v, want %v", name, err, &want)
		}
	}
}

// eigenpairsOf finds five eigenpairs of 20 items.
func eigenpairsOf(pass corpus.Pass, passes int) error {
	ctx := context.Background()
	if passes == 1 {
		s, err := Stream(ctx, pass, numbered(20), StreamOptions{Columns: 16, Seed: 1})
		if err == nil {
			_, err = s.Eigen(ctx, 5, 1)
		}
		return err
	}
	opts := Options{Columns: 16, Passes: passes, Seed: 1}
	s, err := Accumulate(ctx, pass, numbered(20), opts)
	if err == nil {
		_, err = s.Krylov(ctx, pass, 5, opts)
	}
	return err
}

func TestCancelled(t *testing.T) {
	docs := drawn(50, 3, 100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Accumulate(ctx, inBatches(docs, 10), numbered(50),
		Options{Columns: 12}); !errors.Is(err, context.Canceled) {
		t.Errorf("collecting: %v", err)
	}
}

// omega returns Ω of a sketch that has no vectors to start from.
func (s *Sketch) omega() omega {
	return omega{seed: s.Seed, cols: s.Product.Cols()}
}
