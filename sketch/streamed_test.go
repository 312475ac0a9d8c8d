package sketch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
)

// counted is a vocabulary of n items with the counts of documents.
func counted(docs *corpus.Documents, n int) *corpus.Vocabulary {
	v := numbered(n)
	v.Counted = true
	for t, item := range docs.Items {
		v.DocumentFrequency[item]++
		v.TermFrequency[item] += int64(docs.Counts[t])
	}
	return v
}

// stream makes a sketch of documents in batches.
func stream(t *testing.T, docs *corpus.Documents, batch int, v *corpus.Vocabulary, opts StreamOptions) *Streamed {
	t.Helper()
	s, err := Stream(context.Background(), inBatches(docs, batch), v, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStreamedProduct holds the product against S·[T Ω] by a dense S = C + Ĥ_diag, with and without weights and scales,
// and with normal numbers.
func TestStreamedProduct(t *testing.T) {
	const n, l = 120, 70
	docs := drawn(n, 4, 300)
	for _, of := range []struct {
		weights []float64
		prior   float64
		normal  bool
	}{{nil, 0, false}, {someWeights(n), 0, true}, {someWeights(n), 400, false}} {
		weights := of.weights
		for _, v := range []*corpus.Vocabulary{numbered(n), counted(docs, n)} {
			c, _ := denseC(docs, n)
			if weights != nil {
				c, _ = thinnedC(docs, weights, of.prior)
			}
			s := stream(t, docs, 37, v, StreamOptions{Columns: l, Seed: 3, Workers: 3, Weights: weights,
				PairPrior: of.prior, Normal: of.normal})
			m, tests := s.Marginals.Total(), s.tested()
			for i := range n {
				c[i*n+i] += s.Marginals.Diagonal[i] / m
			}
			if (s.Scale != nil) != v.Counted {
				t.Fatalf("counted %t, scale %v", v.Counted, s.Scale)
			}
			rows := make([]float64, n*(TestColumns+l))
			for i := range n {
				setRow(tests, rows[i*(TestColumns+l):][:TestColumns+l], i, v.Key(i))
			}
			want := kernel.Times(context.Background(), c, rows, n, n, TestColumns+l)
			for i := range n {
				for j, got := range s.Product.Row(i) {
					if w := want[i*(TestColumns+l)+j]; math.Abs(float64(got)/m-w) > 1e-8 {
						t.Fatalf("entry %d,%d is %v, want %v", i, j, float64(got)/m, w)
					}
				}
			}
		}
	}
}

// TestStreamedSameBits sketches more documents than a chunk has: neither batches nor workers may show.
func TestStreamedSameBits(t *testing.T) {
	const n, l, documents = 60, 2000, 1500
	docs := drawn(n, 4, documents)
	if chunk := streamedChunk(TestColumns + l); documents < 2*chunk {
		t.Fatalf("only %d documents for chunks of %d", documents, chunk)
	}
	print := func(batch, workers int) string {
		s := stream(t, docs, batch, counted(docs, n), StreamOptions{Columns: l, Seed: 3, Workers: workers})
		return fmt.Sprint(s.Product.Values(), s.Marginals, s.Scatter)
	}
	want := print(documents, 1)
	for _, batch := range []int{1, 7, 500, 600} {
		for _, workers := range []int{1, 3} {
			if print(batch, workers) != want {
				t.Errorf("batches of %d and %d workers give another sketch", batch, workers)
			}
		}
	}
	pairs := func(workers int) string {
		s := stream(t, docs, 100, counted(docs, n), StreamOptions{Columns: 80, Seed: 3, Workers: workers})
		e, err := s.Eigen(context.Background(), 4, workers)
		if err != nil {
			t.Fatal(err)
		}
		evidence, err := s.Scatter.Estimate(context.Background(), &s.Marginals, e, workers)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(e.Values, e.Vectors.Values(), e.Residuals, *evidence)
	}
	if pairs(1) != pairs(3) {
		t.Error("3 workers find other eigenpairs")
	}
}

// TestStreamedNarrows lets a vocabulary grow until the sketch must drop columns. But for rounding it becomes the
// narrower sketch; the second one has more documents than a chunk.
func TestStreamedNarrows(t *testing.T) {
	const n = 90
	grown := func(docs *corpus.Documents, columns int, fit func(int) (int, error)) (*Streamed, error) {
		v, last := corpus.NewVocabulary(), 0
		pass := func(ctx context.Context, fn func(*corpus.Documents) error) error {
			return inBatches(docs, 40)(ctx, func(part *corpus.Documents) error {
				for _, item := range part.Items {
					for ; last <= int(item); last++ {
						v.Intern(fmt.Appendf(nil, "item %d", last))
					}
				}
				return fn(part)
			})
		}
		return Stream(context.Background(), pass, v, StreamOptions{Columns: columns, Seed: 2, Fit: fit})
	}
	for _, c := range []struct{ documents, columns, left int }{{300, 48, 24}, {1500, 2000, 1000}} {
		docs := drawn(n, 4, c.documents)
		if chunk := streamedChunk(TestColumns + c.columns); c.columns > 48 && c.documents < 2*chunk {
			t.Fatalf("only %d documents for chunks of %d", c.documents, chunk)
		}
		var asked []int
		narrowed, err := grown(docs, c.columns, func(items int) (int, error) {
			asked = append(asked, items)
			if items < 80 {
				return c.columns, nil
			}
			return c.left, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(asked) || asked[len(asked)-1] != narrowed.Items() {
			t.Errorf("asked for %d items of %d", asked, narrowed.Items())
		}
		narrow, err := grown(docs, c.left, nil)
		if err != nil {
			t.Fatal(err)
		}
		if narrowed.Columns() != c.left {
			t.Fatalf("%d columns left, want %d", narrowed.Columns(), c.left)
		}
		for i := range n {
			for j, want := range narrow.Product.Row(i) {
				if got := narrowed.Product.Row(i)[j]; math.Abs(float64(got-want)) > 1e-6*float64(c.documents) {
					t.Fatalf("%d documents: entry %d,%d is %v, want %v", c.documents, i, j, got, want)
				}
			}
		}
	}
	if _, err := grown(drawn(n, 4, 300), 24, func(int) (int, error) {
		return 0,
			context.DeadlineExceeded
	}); err != context.DeadlineExceeded {
		t.Errorf("the error of Fit: %v", err)
	}
}

// TestRestoreStreamed wants parts of other lengths to be refused, and a scale of ones, which is how nil is saved, to be
// as good as nil.
func TestRestoreStreamed(t *testing.T) {
	const n = 30
	docs, weights := drawn(n, 3, 60), someWeights(n)
	sketched := func(v *corpus.Vocabulary, weights []float64) *Streamed {
		return stream(t, docs, 60, v, StreamOptions{Columns: 8, Seed: 3, Weights: weights})
	}
	for name, cut := range map[string]func(*Streamed){
		"scale":   func(s *Streamed) { s.Scale = s.Scale[1:] },
		"weights": func(s *Streamed) { s.Marginals.Weights = s.Marginals.Weights[1:] },
	} {
		s := sketched(counted(docs, n), weights)
		if _, err := RestoreStreamed(*s, s.vocabulary); err != nil {
			t.Errorf("restoring all: %v", err)
		}
		cut(s)
		if _, err := RestoreStreamed(*s, s.vocabulary); err == nil {
			t.Errorf("%s: a value too few is not refused", name)
		}
	}
	saved := sketched(numbered(n), nil)
	saved.Scale = slices.Repeat([]float64{1}, n)
	restored, err := RestoreStreamed(*saved, saved.vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	if err := sketched(numbered(n), nil).Merge(restored); err != nil {
		t.Errorf("adding ones to nil: %v", err)
	}
	if err := restored.Merge(sketched(numbered(n), nil)); err != nil {
		t.Errorf("adding nil to ones: %v", err)
	}
	var different *MergeError
	if err := sketched(numbered(n), nil).Merge(sketched(counted(docs, n), nil)); !errors.As(err, &different) ||
		different.Difference != DifferentCounts {
		t.Errorf("adding a scaled sketch to one without a scale: %v", err)
	}
}

// TestStreamedError holds the estimated error against the true one. Scaled test matrices must be nearer than unscaled
// ones.
func TestStreamedError(t *testing.T) {
	const n, k = 300, 6
	docs := drawn(n, k, 2000)
	c, _ := denseC(docs, n)
	var errs []float64
	for _, v := range []*corpus.Vocabulary{numbered(n), counted(docs, n)} {
		total := 0.0
		for seed := range uint64(5) {
			e, err := stream(t, docs, 500, v, StreamOptions{Columns: 8 * k, Seed: seed}).Eigen(context.Background(), k, 2)
			if err != nil {
				t.Fatal(err)
			}
			measured := *e
			measured.Residuals = measuredResiduals(c, n, e)
			if ratio := e.Error() / measured.Error(); ratio < 0.75 || ratio > 1.33 {
				t.Errorf("seed %d: an error of %.3g is estimated at %.3g", seed, measured.Error(), e.Error())
			}
			total += measured.Error()
		}
		errs = append(errs, total)
	}
	if errs[1] > 0.9*errs[0] {
		t.Errorf("errors of %.3g with scales, %.3g without", errs[1], errs[0])
	}
}

// TestScatterAgainstMeasured holds the evidence of a single pass against that of another pass with the same
// eigenvectors.
func TestScatterAgainstMeasured(t *testing.T) {
	const n, k = 400, 6
	docs := drawn(n, k, 3000)
	for _, weights := range [][]float64{nil, someWeights(n)} {
		v := counted(docs, n)
		s := stream(t, docs, 500, v, StreamOptions{Columns: 16 * k, Seed: 1, Weights: weights})
		e, err := s.Eigen(context.Background(), k, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Scatter.Estimate(context.Background(), &s.Marginals, e, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, err := MeasureEvidence(context.Background(), inBatches(docs, 500), &s.Marginals, e, EvidenceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var ratios []float64
		for i, size := range want.EffectiveSampleSize {
			if math.Abs(got.EffectiveSampleSize[i]-size) > 1e-9*size {
				t.Fatalf("item %d rests on %v documents, want %v", i, got.EffectiveSampleSize[i], size)
			}
			if size > 0 {
				ratios = append(ratios, got.SamplingVariance[i]/want.SamplingVariance[i])
			} else if !math.IsInf(got.SamplingVariance[i], 1) {
				t.Errorf("the variance of an item in no document is %v", got.SamplingVariance[i])
			}
		}
		slices.Sort(ratios)
		median, low, high := ratios[len(ratios)/2], ratios[len(ratios)/20], ratios[len(ratios)*19/20]
		t.Logf("estimated variance/measured: 5%% %.2f, median %.2f, 95%% %.2f", low, median, high)
		if median < 0.5 || median > 2 || low < 0.2 || high > 8 {
			t.Errorf("estimated variance/measured: 5%% %.2f, median %.2f, 95%% %.2f", low, median, high)
		}
	}
}
