package sketch

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
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
	opts := c.opts
	opts.Layout = collective.From(ctx).Layout()
	s, err := Accumulate(ctx, pass, c.vocabulary, opts)
	if err != nil {
		return nil, err
	}
	keep(o, s.Product)
	marginals := s.Marginals
	e, err := s.Krylov(ctx, pass, k, opts)
	if err != nil {
		return nil, err
	}
	if c.singles != (e.Singles > 0) {
		return nil, fmt.Errorf("%d passes in single precision", e.Singles)
	}
	keep(o, e.Vectors)
	keep(o, e.Leading)
	evidence, err := MeasureEvidence(ctx, pass, &marginals, e, EvidenceOptions{Workers: 2, Cuts: c.cuts})
	if err != nil {
		return nil, err
	}
	estimated, err := (&Scatter{Squares: marginals.RowSums, Lengths: marginals.Diagonal}).Estimate(ctx, &marginals, e, 2)
	if err != nil {
		return nil, err
	}
	y := e.Factor(2)
	keep(o, y)
	o.scalars = fmt.Sprint(marginals, e.Values, e.GuardValues, e.Residuals, e.Passes,
		e.Singles, *evidence, *estimated)
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
	opts := Options{Columns: 20, Seed: 3, Workers: 2, Passes: 4}
	with := func(change func(o *Options)) Options {
		o := opts
		change(&o)
		return o
	}
	for _, c := range []shared{
		{name: "plain", docs: docs, vocabulary: whole, opts: opts, cuts: []int{2}},
		{name: "weighted", docs: docs, vocabulary: whole,
			opts: with(func(o *Options) { o.Weights = someWeights(n) })},
		{name: "too few counts", docs: docs, vocabulary: low, opts: opts},
		{name: "start", docs: docs, vocabulary: whole, opts: with(func(o *Options) { o.Start = start })},
		{name: "one rank has the documents", docs: docs, vocabulary: whole, opts: opts, alone: true},
		{name: "single precision", docs: docs, vocabulary: whole, opts: with(func(o *Options) { o.Passes = 0 }),
			singles: true},
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

// compare runs the case on p ranks, and wants the given outcome.
func (c *shared) compare(t *testing.T, want *outcome, p int) {
	t.Helper()
	got := c.on(t, p)
	if got.scalars != want.scalars {
		t.Errorf("%d ranks: other numbers:\n%.300s\nwant\n%.300s", p, got.scalars, want.scalars)
	}
	if !maps.Equal(got.hash, want.hash) {
		t.Errorf("%d ranks: other rows", p)
	}
}

// on runs the case on p ranks, which must find the same numbers.
func (c *shared) on(t *testing.T, p int) *outcome {
	t.Helper()
	m := c.docs.Documents()
	var lock sync.Mutex
	all := &outcome{hash: map[int]uint64{}}
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
		lock.Lock()
		defer lock.Unlock()
		if all.scalars != "" && got.scalars != all.scalars {
			return fmt.Errorf("rank %d: other numbers:\n%.300s\nwant\n%.300s", r, got.scalars, all.scalars)
		}
		all.scalars = got.scalars
		maps.Copy(all.hash, got.hash)
		return nil
	})
	if err != nil {
		t.Errorf("%d ranks: %v", p, err)
	}
	return all
}

// TestRanksWithoutCounts wants ranks to agree where nothing is known of the vocabulary's items: a second pass makes the
// sums exact.
func TestRanksWithoutCounts(t *testing.T) {
	const n = matrix.BlockRows + 7
	docs := drawn(n, 4, 200)
	c := shared{docs: docs, vocabulary: numbered(n), opts: Options{Columns: 20, Seed: 3, Passes: 3}}
	want := c.on(t, 2)
	for _, p := range []int{3, 5} {
		c.compare(t, want, p)
	}
}
