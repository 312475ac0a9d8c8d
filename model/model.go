// This file defines Model, a fitted model as a directory stores it: its fields, how a fit fills them, and the tables
// that hold them.

package model

import (
	"sync"

	"anchorage/corpus"
	"anchorage/internal/nearest"
	"anchorage/matrix"
	"anchorage/model/drift"
	"anchorage/rectify"
	"anchorage/sketch"
)

// TopItems is the number of prominent and of characteristic items that a model lists per topic.
const TopItems = 20

// Model is a fitted model as a directory stores it. On disk, N×K matrices have single precision. Topic k is at index k
// everywhere. Probabilities are those of whole documents; a fit with item weights works with thinned ones
// (docs/method.md), whose quantities are called weighted. Several goroutines may read a Model.
type Model struct {
	Manifest         Manifest
	Vocabulary       *corpus.Vocabulary // N items
	sketch.Marginals                    // of items, among the documents that count; only a fit has the sums of rows
	Probability      []float64          // p(item), sums to 1
	// p(item) in thinned documents, the row sums of C; Probability itself without weights
	WeightedProbability []float64

	Reliability       []float64    // ρ of every item, from 0 to 1: the share of its mixture that comes from its own row
	Mixtures          *matrix.Tall // N×K: row i is p(topic | item i) and sums to 1
	Items             *matrix.Tall // B, N×K: column k is p(item | topic k) and sums to 1; nil during a fit
	Anchors           []int        // the anchor item of each topic; nil if there are none
	Pivots, Margins   []float64    // of each anchor; see anchor.Topics
	AnchorSampleSizes []float64    // of each anchor: the number of documents that its row rests on
	Shares            []float64    // p(topic), sums to 1
	TopicJoint        []float64    // A, K×K row-major: the joint probabilities of the topics of two tokens of a document
	Prominent         [][]Listed   // most relevant items of each topic, in order of relevance, with p(item | topic)
	Characteristic    [][]Listed   // items of each topic that co-occur most with its anchor; nil if there are no anchors
	TopicIDs          []int        // the id of each topic, which it keeps from generation to generation
	TopicNames        []string     // the name of each topic, empty for those without; nil if no topic has one

	Eigen       sketch.Eigen // of C before the rectification; none if the method needs none
	Levels      []Level      // all levels, the coarsest first and the model itself last; nil if there is one
	Drift       *drift.Drift // what became of the topics of the model that this one continues; may be nil
	Diagnostics *Diagnostics // figures about every topic; nil if there are none

	// What only a fit has, and Eigen.Leading, from which later fits may start. Load leaves them on disk, where ReadRest
	// finds the factor, the evidence and Eigen.Leading.

	Factor *matrix.Tall // Y, N×K; nil if C was held, and for variational inference
	// Course are the iterations of the rectification, with Change, Density, Shift and CorrectionsSum only if they were
	// loaded, with the diagnostics.
	Course         []rectify.Iteration
	Evidence       *sketch.Evidence  // nil if it was not measured
	Iteration      *sketch.Iteration // between two passes by tasks; nil for others
	Sums           *sketch.Sums      // of a pass by tasks; nil for others
	Recommendation *Recommendation   // the pairs of items; nil if they were not counted
	Variational    *Variational      // the state of variational inference; nil for other methods

	// Row sets dst to row i of B, K values, where Items is nil.
	Row func(dst []float64, i int)

	from *Directory // that was loaded; nil for none
	lent *lent      // a loaded model that has the factor of this one; nil for none

	near         *lazy[*nearest.Index] // of the profiles
	recommending *lazy[recommending]
	beside       *lazy[*corpus.Vocabulary] // the items of folded.parquet
	spread       *lazy[[]float64]          // see Model.profileOf
}

// lazy is a value that the first caller makes.
type lazy[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

// get returns the value, made by fn if it is not known. After an error, which may be that of a context, the next caller
// tries again.
func (l *lazy[T]) get(fn func() (T, error)) (T, error) {
	if l == nil {
		panic("model: this model was neither loaded nor fitted")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.value, nil
	}
	value, err := fn()
	if err == nil {
		l.value, l.known = value, true
	}
	return value, err
}

// Listed is an item that a topic is read by.
type Listed struct {
	Item        int
	Probability float64 // in whole documents
	Weighted    float64 // the same in thinned documents, by which items are ranked
}

// Topics returns K.
func (m *Model) Topics() int { return m.Mixtures.Cols() }

// Names returns the names of items.
func (m *Model) Names(list []Listed) []string {
	names := make([]string, len(list))
	for i, listed := range list {
		names[i] = m.Name(listed.Item)
	}
	return names
}

// ItemRow sets dst, K values, to row i of B: p(item i | topic).
func (m *Model) ItemRow(dst []float64, i int) {
	if m.Items == nil {
		m.Row(dst, i)
		return
	}
	copy(dst, m.Items.Row(i))
}

// Tokens returns Σ_k p(item | k)·p(k) of a loaded model, which sums to 1: N values, 0 for items without weight.
func (m *Model) Tokens() []float64 {
	tokens, sum := make([]float64, m.Vocabulary.Len()), 0.0
	for i := range tokens {
		for k, p := range m.Items.Row(i) {
			tokens[i] += p * m.Shares[k]
		}
		sum += tokens[i]
	}
	for i := range tokens {
		tokens[i] /= sum
	}
	return tokens
}

// Renew forgets what questions about items have found out. A program that changes the topics of a model calls it
// afterwards.
func (m *Model) Renew() {
	m.near, m.recommending = new(lazy[*nearest.Index]), new(lazy[recommending])
	m.beside, m.spread = new(lazy[*corpus.Vocabulary]), new(lazy[[]float64])
}

// lent is a loaded model and its items that a model has, nil for all; and of the tokens of each of its topics, row by
// row, the share that each topic of the model has.
type lent struct {
	model *Model
	kept  []int32
	flow  []float64
}

// Borrow lets m, whose items are some of those of a loaded model, read the factor of that: kept are their numbers
// there, nil for all. With all items m takes the pairs of items, too. The items that were folded into that model are
// in m as well: flow has the share of the tokens of each topic there, row by row, that each topic of m has.
func (m *Model) Borrow(from *Model, kept []int32, flow []float64) { m.lent = &lent{from, kept, flow} }

// carry sets dst to the mixture of topics that one of the lent model's becomes.
func (l *lent) carry(dst, mixture []float64) {
	clear(dst)
	total := 0.0
	for k, p := range mixture {
		for t, share := range l.flow[k*len(dst) : (k+1)*len(dst)] {
			dst[t] += p * share
			total += p * share
		}
	}
	for t := range dst { // some of it may have been in items that were removed
		if dst[t] /= total; total == 0 {
			dst[t] = 1 / float64(len(dst))
		}
	}
}

// Name returns the name of an item, by which people know it: its id where it has no other.
func (m *Model) Name(i int) string { return m.Vocabulary.Name(i) }

// OwnName returns the name that an item has beside its id, "" without one.
func (m *Model) OwnName(i int) string { return m.Vocabulary.OwnName(i) }

// itemsTable has a row per item: its frequencies in the documents that count, its probability, and its mixture of
// topics.
func (m *Model) itemsTable() table {
	n, k := m.Vocabulary.Len(), m.Mixtures.Cols()
	top := expected("top_topic", n, func(i int) int { return int(m.TopTopic(i)) })
	top.read = nil
	return table{file: itemsFile, rows: n, items: true, taken: m.checkWeights, columns: []column{
		ids(m.Vocabulary, func(row int) int { return row }, nil), numbered("index"), values("df", &m.DocumentFrequency),
		values("tf", &m.TermFrequency), values("probability", &m.Probability),
		values("weighted_probability", &m.WeightedProbability),
		orOnes("weight", &m.Weights, m.Manifest.Sketch.ItemWeights != unweighted),
		orOnes("reliability", &m.Reliability, true),
		top, singleColumn("mixture", n, k, func(dst []float64, i int) { copy(dst, m.Mixtures.Row(i)) }, m.Mixtures),
	}}
}

// topicItemsTable has B, a row per item.
func (m *Model) topicItemsTable() table {
	n := m.Vocabulary.Len()
	return table{file: topicItemsFile, rows: n, items: true, columns: []column{numbered("index"),
		singleColumn("loadings", n, m.Topics(), m.ItemRow, m.Items)}}
}

// anchorsTable has one row per topic.
func (m *Model) anchorsTable() table {
	df := field("df", &m.Anchors, func(item *int) *int64 { return &m.DocumentFrequency[*item] })
	df.read = nil
	return table{file: anchorsFile, rows: m.Mixtures.Cols(), whole: true, columns: []column{
		numbered("topic"), values("share", &m.Shares),
		ids(m.Vocabulary, func(row int) int { return m.Anchors[row] }, nil),
		itemColumn("index", &m.Anchors, m.Vocabulary.Len()),
		values("pivot", &m.Pivots), df, values("support", &m.AnchorSampleSizes),
		values("margin", &m.Margins),
	}}
}
