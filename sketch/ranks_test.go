package sketch

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/long"
	"anchorage/matrix"
)

// rows returns documents [first, last).
func rows(docs *corpus.Documents, first, last int) *corpus.Documents {
	some := &corpus.Documents{}
	for d := first; d < last; d++ {
		some.Append(docs.Row(d))
	}
	if docs.Weights != nil {
		some.Weights = docs.Weights[first:last]
	}
	return some
}

// shared is one case of TestRanks.
type shared struct {
	name       string
	docs       *corpus.Documents
	vocabulary *corpus.Vocabulary
	opts       Options
	cuts       []int
	alone      bool // one rank has all documents
	singles    bool // there are passes in single precision
}

// outcome is everything that a case finds, as text. The rows of matrices are joined in hash.
type outcome struct {
	scalars string
	hash    map[int]uint64 // by row
}

// keep adds the held rows of a matrix.
func keep[T float32 | float64](o *outcome, t *matrix.TallOf[T]) {
	first, last := t.HeldRows()
	for i := first; i < last; i++ {
		h := fnv.New64a()
		fmt.Fprint(h, o.hash[i], t.Row(i))
		o.hash[i] = h.Sum64()
	}
}

// find runs a case on the documents of one rank, or on all.
func (c *shared) find(ctx context.Context, docs *corpus.Documents) (*outcome, error) {
	const k = 4
	o := &outcome{hash: map[int]uint64{}}
	pass := inBatches(docs, 17)
	norms := &PairNorms{Weights: c.opts.Weights}
	s, err := Accumulate(ctx, norms.Watch(pass), c.vocabulary, c.opts)
	if err != nil {
		return nil, err
	}
	if err := norms.AddRanks(ctx); err != nil {
		return nil, err
	}
	if norms.Documents != s.Marginals.Documents { // of a pass that was made twice too
		return nil, fmt.Errorf("%d norms of %d documents", norms.Documents, s.Marginals.Documents)
	}
	keep(o, s.Product)
	squares, err := s.ColumnSquares(ctx, 2)
	if err != nil {
		return nil, err
	}
	marginals := s.Marginals
	e, err := s.Krylov(ctx, pass, k, c.opts)
	if err != nil {
		return nil, err
	}
	if c.singles != (e.Singles > 0) {
		return nil, fmt.Errorf("%d passes in single precision", e.Singles)
	}
	rest, deviation := s.Rest(ctx, e, squares, 2)
	keep(o, e.Vectors)
	keep(o, e.Leading)
	evidence, err := MeasureEvidence(ctx, pass, &marginals, e, EvidenceOptions{Seed: 5, Key: c.vocabulary.Key, Workers: 2, Cuts: c.cuts})
	if err != nil {
		return nil, err
	}
	estimated, err := (&Scatter{Squares: marginals.RowSums, Lengths: marginals.Diagonal}).Estimate(ctx, &marginals, e, 2)
	if err != nil {
		return nil, err
	}
	y := e.Factor(2)
	keep(o, y)
	norms.sums = pairSums{}
	o.scalars = fmt.Sprint(marginals, *norms, squares, rest, deviation, e.Values, e.GuardValues, e.Residuals, e.Passes, e.Singles, *evidence, *estimated)
	return o, nil
}

// TestRanks wants the same bits from any number of ranks, more than there are blocks among them, as from one process.
func TestRanks(t *testing.T) {
	const n = 2*matrix.BlockRows + 7
	docs := drawn(n, 4, 400)
	whole := counted(docs, n)
	low := counted(rows(docs, 0, 100), n) // of other documents: the bounds are too small
	start := &Start{Columns: 6, Row: func(dst []float64, item int) {
		for j := range dst {
			dst[j] = math.Cos(float64(item%97*(j+1)))/10 + float64(item%(j+2))
		}
	}}
	heavy := *docs
	heavy.Weights = slices.Repeat([]float64{1, 3e5, 0.2}, docs.Documents()/3+1)[:docs.Documents()]
	opts := Options{Columns: 20, Seed: 3, Workers: 2, Passes: 4}
	with := func(change func(o *Options)) Options {
		o := opts
		change(&o)
		return o
	}
	for _, c := range []shared{
		{name: "plain", docs: docs, vocabulary: whole, opts: opts, cuts: []int{2}},
		{name: "weighted", docs: weighing(docs), vocabulary: whole, opts: with(func(o *Options) { o.Weights = someWeights(n) })},
		{name: "heavy", docs: &heavy, vocabulary: whole, opts: opts},
		{name: "too few counts", docs: docs, vocabulary: low, opts: opts},
		{name: "start", docs: docs, vocabulary: whole, opts: with(func(o *Options) { o.Start = start })},
		{name: "one rank has the documents", docs: docs, vocabulary: whole, opts: opts, alone: true},
		{name: "single precision", docs: docs, vocabulary: whole, opts: with(func(o *Options) { o.Passes = 0 }), singles: true},
		{name: "restarts", docs: docs, vocabulary: whole, opts: with(func(o *Options) { o.MaxBlocks, o.Passes = 2, 6 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := c.find(t.Context(), c.docs)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range long.Grid(1, 3, 1, 2, 5) {
				c.compare(t, want, p)
			}
		})
	}
}

// compare runs the case on p ranks.
func (c *shared) compare(t *testing.T, want *outcome, p int) {
	t.Helper()
	m := c.docs.Documents()
	var lock sync.Mutex
	found := map[int]uint64{}
	err := collective.Together(t.Context(), p, func(ctx context.Context) error {
		r := collective.From(ctx).Rank()
		first, last := r*m/p, (r+1)*m/p
		if c.alone {
			first, last = 0, 0
			if r == p/2 {
				last = m
			}
		}
		got, err := c.find(ctx, rows(c.docs, first, last))
		if err != nil {
			return err
		}
		if got.scalars != want.scalars {
			return fmt.Errorf("rank %d: other numbers:\n%.300s\nwant\n%.300s", r, got.scalars, want.scalars)
		}
		lock.Lock()
		defer lock.Unlock()
		for i, hash := range got.hash {
			if hash != want.hash[i] {
				return fmt.Errorf("rank %d: other row %d", r, i)
			}
			found[i] = hash
		}
		return nil
	})
	if err != nil {
		t.Errorf("%d ranks: %v", p, err)
	} else if len(found) != len(want.hash) {
		t.Errorf("%d ranks hold %d rows, not %d", p, len(found), len(want.hash))
	}
}

// TestRanksWithoutCounts wants ranks to agree where nothing is known of the vocabulary's items: a second pass makes the sums exact.
func TestRanksWithoutCounts(t *testing.T) {
	const n = matrix.BlockRows + 7
	docs := drawn(n, 4, 200)
	c := shared{docs: docs, vocabulary: numbered(n), opts: Options{Columns: 20, Seed: 3, Passes: 3}}
	var want *outcome
	err := collective.Together(t.Context(), 1, func(ctx context.Context) (err error) {
		want, err = c.find(ctx, docs)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{2, 3} {
		c.compare(t, want, p)
	}
}

// TestCountOverRanks wants counts of all ranks' documents.
func TestCountOverRanks(t *testing.T) {
	const n = matrix.BlockRows + 7
	docs := weighing(drawn(n, 4, 200))
	want, diagonal, err := CountMarginals(t.Context(), inBatches(docs, 30), n, someWeights(n))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{1, 2, 5} {
		err := collective.Together(t.Context(), p, func(ctx context.Context) error {
			r, m := collective.From(ctx).Rank(), docs.Documents()
			got, own, err := CountMarginals(ctx, inBatches(rows(docs, r*m/p, (r+1)*m/p), 30), n, someWeights(n))
			if err != nil {
				return err
			}
			if got.Documents != want.Documents || !slices.Equal(got.DocumentFrequency, want.DocumentFrequency) || !slices.Equal(got.TermFrequency, want.TermFrequency) ||
				math.Abs(got.Surplus-want.Surplus) > 1e-10 || !near(got.RowSums, want.RowSums) || !near(got.Diagonal, want.Diagonal) || !near(own, diagonal) {
				return fmt.Errorf("rank %d: other counts", r)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", p, err)
		}
	}
}

// TestAlone wants what is for one process to refuse several ranks.
func TestAlone(t *testing.T) {
	docs := drawn(30, 3, 40)
	pass := inBatches(docs, 10)
	for name, fn := range map[string]func(ctx context.Context){
		"stream": func(ctx context.Context) { _, _ = Stream(ctx, pass, numbered(30), StreamOptions{Columns: 8}) },
		"dense":  func(ctx context.Context) { _, _, _ = Dense(ctx, pass, 30, nil, 0, 1) },
	} {
		for _, p := range []int{1, 2} {
			err := collective.Together(t.Context(), p, func(ctx context.Context) error {
				fn(ctx)
				return nil
			})
			if (err != nil) != (p > 1) {
				t.Errorf("%s on %d ranks: %v", name, p, err)
			}
		}
	}
}

// TestWeightsTooGreat wants an error of weights that no unit holds, after two passes.
func TestWeightsTooGreat(t *testing.T) {
	docs := &corpus.Documents{}
	docs.Append([]int32{0, 1}, []int32{1, 2})
	docs.Weights = []float64{1e300}
	v := corpus.NewVocabulary()
	v.Intern([]byte("a"))
	v.Intern([]byte("b"))
	v.Counted = true
	passes := 0
	_, err := Accumulate(t.Context(), func(_ context.Context, fn func(*corpus.Documents) error) error {
		if passes++; passes > 2 {
			return fmt.Errorf("pass %d", passes)
		}
		return fn(docs)
	}, v, Options{Columns: 2})
	if err == nil || !strings.Contains(err.Error(), "too great") {
		t.Errorf("got %v", err)
	}
}
