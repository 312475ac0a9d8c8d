// This file computes all figures for some topics. It holds the topics that are scored, and the items by which they are
// read.

package metric

import (
	"cmp"
	"context"
	"math"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/toplist"
	"anchorage/matrix"
	"anchorage/sketch"
)

// NeverDense is the Options.DenseBytes with which C is never held.
const NeverDense = -1

const (
	referenceItems = 20 // items of a topic in the figures of the papers
	coherenceItems = 10 // items of a topic in the coherences of the literature
	diversityItems = 25 // items of a topic in topic diversity
)

// Options say how figures are computed. The zero value is the default.
type Options struct {
	// DenseBytes is the memory that C may take; 0 means sketch.DefaultDenseBytes; see NeverDense. If C fits, all figures
	// are exact. Otherwise ProjectedDistances estimates the distances.
	DenseBytes int64
	// Columns is the number of random columns of an estimate, rounded up to a multiple of 16; 0 means DefaultColumns.
	Columns int
	// Frequent is the number of items whose columns of C an estimate computes exactly; 0 means DefaultFrequent, and a
	// negative number none.
	Frequent int
	// ProjectionBytes is the memory that the columns of one pass of an estimate may take; less memory takes more passes. 0
	// means DefaultProjectionBytes.
	ProjectionBytes int64
	// Hulls is the number of random hulls with which that of the anchors is compared; 0 means DefaultHulls, or
	// fewer if there are many items.
	Hulls int
	// Base lists the items of Distances.BaseRecovery; nil leaves the figure out.
	Base []int
	// Seed is the seed of all random numbers.
	Seed uint64
	// Key returns the hash of an item's id, corpus.Vocabulary.Key, so that estimates do not depend on how items are
	// numbered. Nil means the items' numbers.
	Key func(item int) uint64
	// Workers is the number of goroutines; 0 means one per processor.
	Workers int
}

func (o *Options) columns() int {
	return (cmp.Or(o.Columns, DefaultColumns) + groups - 1) / groups * groups
}

// width returns the number of columns of one pass, which holds three matrices of N rows.
func (o *Options) width(n int) int {
	return max(int(cmp.Or(o.ProjectionBytes, DefaultProjectionBytes)/24/int64(max(n, 1)))/8*8, 8)
}

// hulls returns the number of random hulls for n items.
func (o *Options) hulls(n int) int {
	if o.Hulls <= 0 {
		return max(min(hullItems/max(n, 1), DefaultHulls), leastHulls)
	}
	return o.Hulls
}

// dense reports whether C of n items may be held.
func (o *Options) dense(n int) bool {
	return 8*int64(n)*int64(aligned.Columns[float64](n)) <= cmp.Or(o.DenseBytes, sketch.DefaultDenseBytes)
}

// Score computes all figures that the parts of t allow, on the documents of pass. It makes one pass for the pairs of
// top items, one for the anchors' rows, and one for a dense C; with estimates one for the marginals, and one or more
// for the distances. The error is that of pass or ctx. It panics if the parts of t do not fit together.
func Score(ctx context.Context, pass corpus.Pass, t *Topics, opts Options) (*Report, error) {
	t.check()
	s := scoring{pass: pass, topics: t, opts: &opts, report: &Report{}}
	if err := s.compare(ctx); err != nil {
		return nil, err
	}
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	return s.report, nil
}

// scoring is the state of Score.
type scoring struct {
	pass   corpus.Pass
	topics *Topics
	opts   *Options
	report *Report
	p      []float64   // row sums of C
	rows   *AnchorRows // of the topics' anchors; nil if they have none
}

// compare adds the figures that compare topics with C.
func (s *scoring) compare(ctx context.Context) error {
	t, n := s.topics, s.topics.Items.Rows()
	var marginals *sketch.Marginals
	var distances Distances
	var err error
	if s.report.Dense = s.opts.dense(n); s.report.Dense {
		var c *matrix.Tall
		c, marginals, err = sketch.Dense(ctx, s.pass, n, t.Weights, 0, math.MaxInt64, s.opts.Workers)
		if err == nil {
			distances, err = DenseDistances(ctx, c, marginals.Probabilities(), t, s.opts.Base, s.opts.Workers)
		}
	} else {
		var diagonal []float64
		marginals, diagonal, err = sketch.CountMarginals(ctx, s.pass, n, t.Weights, 0)
		if err == nil {
			distances, err = ProjectedDistances(ctx, s.pass, marginals, diagonal, t, *s.opts)
		}
	}
	if err != nil {
		return err
	}
	s.p = marginals.Probabilities()
	if t.Anchors != nil {
		if s.rows, err = CountAnchorRows(ctx, s.pass, marginals, t.Anchors, s.opts.Workers); err != nil {
			return err
		}
	}
	r := s.report
	r.add("recovery", distances.Recovery)
	r.add("relative_recovery", distances.RelativeRecovery)
	r.add("base_recovery", distances.BaseRecovery)
	r.add("approximation", distances.Approximation)
	r.add("relative_approximation", distances.RelativeApproximation)
	r.add("relative_off_diagonal_approximation", distances.OffDiagonalApproximation)
	s.describe()
	if s.rows == nil {
		return nil
	}
	r.add("anchor_quality", exactly(AnchorQuality(t.Items, t.Anchors)))
	volume, err := LogRelativeVolume(ctx, s.rows, *s.opts)
	r.add("log_relative_volume", exactly(volume))
	return err
}

// describe adds the figures that need only the topics.
func (s *scoring) describe() {
	t, r := s.topics, s.report
	if t.TopicJoint != nil {
		r.add("dominancy", exactly(Dominancy(t.TopicJoint)))
		r.add("diagonal_dominancy", exactly(DiagonalDominancy(t.TopicJoint)))
		r.add("relative_dominancy", exactly(RelativeDominancy(t.TopicJoint)))
		r.add("sum_A", exactly(JointSum(t.TopicJoint)))
	}
	r.add("specificity_nats", exactly(Specificity(t.Items, s.p)))
	if t.Items.Rows() > 1 {
		r.add("sparsity", exactly(Sparsity(t.Items)))
	}
}

// read adds the figures of the items that topics are read by.
func (s *scoring) read(ctx context.Context) error {
	t, r := s.topics, s.report
	prominent := t.Prominent(diversityItems)
	r.add("exclusivity", exactly(Exclusivity(t.Items, Leading(prominent, referenceItems))))
	lists := Leading(prominent, referenceItems)
	if s.rows != nil {
		lists = append(lists, treeLists(prominent, s.rows.Characteristic(treeItems))...)
	}
	pairs, err := countPairs(ctx, s.pass, t.Items.Rows(), t.Weights, lists, s.opts.Workers)
	if err != nil {
		return err
	}
	k := len(prominent)
	r.addLists(prominent, &Pairs{Documents: pairs.Documents, Lists: pairs.Lists[:k]})
	if s.rows != nil {
		r.add("mst_incoherence", exactly(MSTIncoherence(&Pairs{Documents: pairs.Documents, Lists: pairs.Lists[k:]}, s.p)))
	}
	return nil
}

// ScoreLists computes the figures of topics of which only lists of items are known, such as another program prints, on
// the documents of pass. Items are from 0 to items−1. A list has its best item first, and no item twice. Lists may have
// any length: a figure uses the first 25, 20 or 10 items, or as many as there are.
func ScoreLists(ctx context.Context, pass corpus.Pass, items int, lists [][]int, workers int) (*Report, error) {
	if len(lists) == 0 {
		panic("metric: no topics")
	}
	pairs, err := CountPairs(ctx, pass, items, Leading(lists, referenceItems), workers)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	r.addLists(Leading(lists, diversityItems), pairs)
	return r, nil
}

// Topics is a factorization C ≈ B·A·Bᵀ. Topic k is at position k everywhere. All fields but Items may be nil.
type Topics struct {
	Items *matrix.Tall // B, N×K: column k is p(item | topic k) and sums to 1
	// Weights are the N weights of the items in C, as in sketch.Options; nil if all are 1.
	Weights []float64
	// Mixtures is the transpose of B̆, N×K: row i is p(topic | item i) and sums to 1. With Anchors it writes the rows of
	// C̄ as mixtures of the anchors' rows.
	Mixtures   *matrix.Tall
	Anchors    []int     // item s_k of every topic
	TopicJoint []float64 // A, K×K row-major
}

// Of describes topics that package anchor found. It refers to the mixtures of t and holds a matrix B of the same size.
func Of(t *anchor.Topics) *Topics {
	items := matrix.Like(t.Mixtures)
	for i := range items.Rows() {
		t.BRow(items.Row(i), i)
	}
	return &Topics{Items: items, Mixtures: t.Mixtures, Anchors: t.Anchors, TopicJoint: t.TopicJoint}
}

// check panics if the shapes of the parts do not fit together.
func (t *Topics) check() {
	n, k := t.Items.Dims()
	if k == 0 {
		panic("metric: no topics")
	}
	if t.Mixtures != nil && (t.Mixtures.Rows() != n || t.Mixtures.Cols() != k) {
		panic("metric: shape of the mixtures is not that of the topics")
	}
	if t.Anchors != nil && len(t.Anchors) != k {
		panic("metric: number of anchors is not the number of topics")
	}
	if t.TopicJoint != nil && len(t.TopicJoint) != k*k {
		panic("metric: shape of the joint probabilities is not that of the topics")
	}
}

// mixed reports whether rows of C̄ can be compared with their mixtures of the anchors' rows.
func (t *Topics) mixed() bool { return t.Mixtures != nil && t.Anchors != nil }

// Prominent returns, for every topic, the count items with the greatest p(item | topic) in decreasing order; of equal
// items the first comes first. Items with probability 0 are in no list.
func (t *Topics) Prominent(count int) [][]int {
	lists := make([][]int, t.Items.Cols())
	best := toplist.Columns(t.Items.Rows(), len(lists), count, 0, func(dst []float64, i int) { copy(dst, t.Items.Row(i)) })
	for k, entries := range best {
		for _, e := range entries {
			lists[k] = append(lists[k], e.Item)
		}
	}
	return lists
}

// Leading returns the lists cut to their first count items.
func Leading(lists [][]int, count int) [][]int {
	cut := make([][]int, len(lists))
	for l, list := range lists {
		cut[l] = list[:min(count, len(list))]
	}
	return cut
}
