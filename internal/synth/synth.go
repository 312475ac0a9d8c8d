// Package synth draws corpora from a known model, so that learned topics can be compared with the truth.
//
// A Model describes the corpus: N items with Zipf frequencies, spread unevenly over K topics, some of them anchors of
// one topic; the prior of the documents' topic mixtures; and the lengths of documents. Plant draws the Truth, B (N×K,
// sparse) and A (K×K), and returns a Drawn. A Drawn makes documents on demand and does not keep them: as passes or as
// Parquet shards. Recovery measures how close learned topics come to the truth.
//
// Every random number is a function of the seed, of what is drawn and of its number; see package random. So document m
// is always the same, however many documents there are and whichever goroutine makes it.
//
// Memory is proportional to the number of non-zero entries of B, about 1+7·Spread per item. Several goroutines may use
// a Drawn at once.
package synth

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"sort"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/internal/pipeline"
	"anchorage/internal/random"
	"anchorage/shard/tablefile"
)

// Model describes a corpus. Items, Topics and Documents must be set; see Check for the least values. Other zero values
// mean the defaults.
type Model struct {
	Items, Topics, Documents int // N, K, M
	Seed                     uint64

	// Item i, counted from 0, has a frequency proportional to (i+Offset)^−Exponent (Zipf's law). The uneven spread over
	// topics changes it somewhat. The defaults are Exponent 1 and Offset 10.
	Exponent, Offset float64
	// Spread is the total concentration of the Dirichlet distribution of an item's shares in the topics, Spread/K for each
	// topic. The smaller it is, the fewer topics an item belongs to. The default is 1.
	Spread float64
	// Anchors is the number of anchors of every topic; the default is 1. AnchorStrength is the share of an anchor's row of
	// B in its own topic, above 1/K; the other topics share the rest equally. The default is 1: no other topic has the
	// item. Shares of other items are at most 1/K + ¾·(AnchorStrength − 1/K). So AnchorStrength determines how separable
	// the topics are.
	Anchors        int
	AnchorStrength float64

	// The topic mixture of a document is logistic-normal if Logistic is set. Otherwise it has a Dirichlet distribution
	// with parameters Alpha, one per topic; nil means Concentration in every topic. The default of Concentration is 0.1.
	Concentration float64
	Alpha         []float64
	Logistic      *LogisticNormal

	// Tree, if not nil, makes the topics the leaves of a tree: the root has Tree[0] children, each of them Tree[1] and so
	// on; topics are numbered in their order, so the product is Topics. A document divides its tokens at every node by a
	// Dirichlet distribution with TreeConcentration for each child, by the depth of the node, or with Concentration if
	// that is nil. Items mostly keep to topics that are near in the tree (see nearShare).
	Tree              []int
	TreeConcentration []float64

	// Tokens is the mean length of a document; the default is 50. Every document has at least 2 tokens.
	Tokens int
	Length Length
	// Deviation is the standard deviation of the logarithm of LogNormal lengths; the default is 0.5.
	Deviation float64

	Workers int // goroutines; 0 for as many as there are processors
}

// maxItems bounds N: item ids have 7 digits.
const maxItems = 10_000_000

// Completed returns the model with its zero values replaced by the defaults, as Plant draws it.
func (m Model) Completed() Model {
	m.Exponent, m.Offset, m.Spread = cmp.Or(m.Exponent, 1), cmp.Or(m.Offset, 10), cmp.Or(m.Spread, 1)
	m.Anchors, m.AnchorStrength = cmp.Or(m.Anchors, 1), cmp.Or(m.AnchorStrength, 1)
	m.Concentration, m.Deviation, m.Tokens = cmp.Or(m.Concentration, 0.1), cmp.Or(m.Deviation, 0.5), cmp.Or(m.Tokens, 50)
	return m
}

// Check returns an error if a field is out of range.
func (m Model) Check() error {
	m = m.Completed()
	switch {
	case m.Topics < 2:
		return fmt.Errorf("a model needs at least 2 topics, not %d", m.Topics)
	case m.Anchors < 0 || m.Items < 2*m.Topics*(m.Anchors+1):
		return fmt.Errorf("%d topics with %d anchors each need at least %d items, not %d", m.Topics, m.Anchors,
			2*m.Topics*(m.Anchors+1), m.Items)
	case m.Items > maxItems:
		return fmt.Errorf("there are at most %d items, not %d", maxItems, m.Items)
	case m.Documents < 1:
		return fmt.Errorf("a corpus needs at least 1 document, not %d", m.Documents)
	case !(m.AnchorStrength > 1/float64(m.Topics)) || m.AnchorStrength > 1:
		return fmt.Errorf("the anchor strength must be above 1/K and at most 1, not %v", m.AnchorStrength)
	case m.Tokens < 2:
		return fmt.Errorf("the mean length must be at least 2 tokens, not %d", m.Tokens)
	case m.Tree != nil && (m.Alpha != nil || m.Logistic != nil || leaves(m.Tree) != m.Topics):
		return fmt.Errorf("a tree with %d leaves cannot be that of %d topics, and has its own prior",
			leaves(m.Tree), m.Topics)
	case m.Alpha != nil && len(m.Alpha) != m.Topics:
		return fmt.Errorf("alpha has %d values, but there are %d topics", len(m.Alpha), m.Topics)
	}
	for _, v := range slices.Concat([]float64{m.Exponent, m.Offset, m.Spread, m.Concentration, m.Deviation},
		m.Alpha, m.TreeConcentration) {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("exponent, offset, spread, concentrations and deviation must be positive, not %v", v)
		}
	}
	return nil
}

// Drawn is a corpus drawn from a model.
type Drawn struct {
	Model Model
	Truth *Truth

	prior  prior
	tables []alias // items of each topic
}

// Plant draws the truth, and returns a corpus whose documents are drawn from it on demand. It panics if Check fails.
func (m Model) Plant() *Drawn {
	if err := m.Check(); err != nil {
		panic("synth: " + err.Error())
	}
	m = m.Completed()
	c := &Drawn{Model: m, Truth: m.plant(), prior: m.prior()}
	c.Truth.Correlations = c.prior.correlations(m)
	c.Truth.complete()
	c.tables = c.Truth.aliases(m.Workers)
	return c
}

// Draw returns all documents at once, and the truth.
func (m Model) Draw() (*corpus.Documents, *Truth) {
	c := m.Plant()
	all := &corpus.Documents{Offsets: []int32{0}}
	err := c.Pass(context.Background(), func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			all.Append(docs.Row(d))
		}
		return nil
	})
	if err != nil {
		panic("synth: drawing documents failed: " + err.Error())
	}
	return all, c.Truth
}

// Vocabulary returns the items in their order, with the ids of ItemID.
func (c *Drawn) Vocabulary() *corpus.Vocabulary {
	v := corpus.NewVocabulary()
	for i := range c.Model.Items {
		v.Intern([]byte(ItemID(i)))
	}
	return v
}

// batchDocuments is the number of documents that one goroutine draws and a pass delivers at a time.
const batchDocuments = 2048

// maker draws documents one by one. It belongs to one goroutine.
type maker struct {
	*random.Source
	corpus  *Drawn
	topics  []int32   // of the tokens
	items   []int32   // of the tokens
	mixture []float64 // scratch of prior.draw
}

func (c *Drawn) newMaker() *maker {
	return &maker{Source: random.NewSource(), corpus: c, mixture: make([]float64, c.Model.Topics)}
}

// draw draws document d: topics and items of its tokens, in the order in which they are drawn.
func (m *maker) draw(d int) {
	m.Seek(m.corpus.Model.Seed, random.SyntheticDocument, uint64(d))
	n := m.corpus.Model.length(m.Source)
	m.topics = slices.Grow(m.topics[:0], n)[:n]
	m.items = slices.Grow(m.items[:0], n)[:n]
	m.corpus.prior.draw(m.Source, m.topics, m.mixture)
	for t, k := range m.topics {
		m.items[t] = m.corpus.tables[k].draw(m.Uint64())
	}
}

// fill overwrites docs with documents [first, last).
func (m *maker) fill(docs *corpus.Documents, first, last int) {
	docs.Offsets, docs.Items, docs.Counts = append(docs.Offsets[:0], 0), docs.Items[:0], docs.Counts[:0]
	for d := first; d < last; d++ {
		m.draw(d)
		slices.Sort(m.items)
		for t, item := range m.items {
			if t > 0 && item == m.items[t-1] {
				docs.Counts[len(docs.Counts)-1]++
				continue
			}
			docs.Items, docs.Counts = append(docs.Items, item), append(docs.Counts, 1)
		}
		docs.Offsets = append(docs.Offsets, int32(len(docs.Items)))
	}
}

// Pass calls fn with all documents, in order and in batches. A batch is valid until fn returns. Pass is a corpus.Pass;
// several may run at once. It returns the first error of fn, or that of ctx.
func (c *Drawn) Pass(ctx context.Context, fn func(*corpus.Documents) error) error {
	type batch struct {
		*maker
		docs corpus.Documents
	}
	return inBatches(ctx, c, func() *batch { return &batch{maker: c.newMaker()} },
		func(b *batch, first, last int) { b.fill(&b.docs, first, last) },
		func(b *batch) error { return fn(&b.docs) })
}

// inBatches draws all documents in batches [first, last), several at a time, and delivers each in order.
func inBatches[B any](ctx context.Context, c *Drawn, begin func() *B, draw func(b *B, first, last int),
	deliver func(b *B) error) error {
	documents := c.Model.Documents
	p := pipeline.Pipeline[B]{
		Workers: kernel.Workers(c.Model.Workers),
		Tasks:   (documents + batchDocuments - 1) / batchDocuments,
		Depth:   2,
		Do: func(_ context.Context, task int, part func(func(*B) error) error) error {
			return part(func(b *B) error {
				draw(b, task*batchDocuments, min((task+1)*batchDocuments, documents))
				return nil
			})
		},
		NewBuffer: begin,
		Deliver:   func(_ int, b *B) error { return deliver(b) },
		Retire:    func(*B) {},
	}
	return p.Run(ctx)
}

// ItemID returns the id of item i in vocabularies and shards. Ids sort in the order of the items.
func ItemID(i int) string { return fmt.Sprintf("i%07d", i) }

// ParseItem returns the item with the given id, and whether the id has the form of ItemID.
func ParseItem(id string) (item int, ok bool) {
	if len(id) != len("i0000000") || id[0] != 'i' {
		return 0, false
	}
	n, err := strconv.ParseUint(id[1:], 10, 32)
	return int(n), err == nil
}

// ItemsOf returns the drawn item of every item of a vocabulary. The error names one that was not drawn.
func ItemsOf(vocabulary *corpus.Vocabulary) ([]int32, error) {
	items := make([]int32, vocabulary.Len())
	for i := range items {
		item, ok := ParseItem(vocabulary.ID(i))
		if !ok {
			return nil, fmt.Errorf("item %q was not drawn", vocabulary.ID(i))
		}
		items[i] = int32(item)
	}
	return items, nil
}

// WriteShards writes all documents, in order, to the given number of Parquet files in dir, which must exist. Each file
// is complete or absent. The error is the first error of writing, or that of ctx. Document m has the id "d" + m.
func (c *Drawn) WriteShards(ctx context.Context, dir string, shards int) error {
	ids := make([]string, c.Model.Items)
	for i := range ids {
		ids[i] = ItemID(i)
	}
	return kernel.Parallel(ctx, c.Model.Workers, shards, func(s int) error {
		first, last := c.Model.Documents*s/shards, c.Model.Documents*(s+1)/shards
		return durable.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%05d.parquet", s)),
			func(w io.Writer) error { return c.writeShard(ctx, w, ids, first, last) })
	})
}

// writeShard writes documents [first, last) with the ids of items.
func (c *Drawn) writeShard(ctx context.Context, w io.Writer, ids []string, first, last int) error {
	writer, err := tablefile.NewDocumentWriter(w)
	if err != nil {
		return err
	}
	m := c.newMaker()
	var docs corpus.Documents
	var items []string
	for start := first; start < last; start += batchDocuments {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.fill(&docs, start, min(start+batchDocuments, last))
		for d := range docs.Documents() {
			indices, counts := docs.Row(d)
			items = items[:0]
			for _, i := range indices {
				items = append(items, ids[i])
			}
			if err := writer.Write("d"+strconv.Itoa(start+d), items, counts); err != nil {
				return err
			}
		}
	}
	return writer.Close()
}

// alias is a discrete distribution with draws in constant time (Walker, ACM Trans. Math. Softw. 3, 1977). newAlias
// builds it by Vose's method (IEEE Trans. Softw. Eng. 17, 1991).
type alias []slot

// slot is one of n equal parts of the distribution. A 32-bit number below threshold yields item; any other yields
// other.
type slot struct {
	threshold   uint32
	item, other int32
}

// newAlias returns the distribution in which items have probabilities proportional to weights. The sum of the weights
// must be positive. Probabilities are exact to 2⁻³² of a slot.
func newAlias(items []int32, weights []float64) alias {
	n := len(items)
	total := 0.0
	for _, w := range weights {
		total += w
	}
	heights := make([]float64, n) // of the slots, 1 on average
	var low, high []int32
	for i, w := range weights {
		heights[i] = w / total * float64(n)
		if heights[i] < 1 {
			low = append(low, int32(i))
		} else {
			high = append(high, int32(i))
		}
	}
	a := make(alias, n)
	for i, item := range items {
		a[i] = slot{item: item, other: item}
	}
	for len(low) > 0 && len(high) > 0 {
		i, j := low[len(low)-1], high[len(high)-1]
		low = low[:len(low)-1]
		a[i].threshold, a[i].other = uint32(heights[i]*0x1p32), items[j]
		heights[j] -= 1 - heights[i]
		if heights[j] < 1 {
			high = high[:len(high)-1]
			low = append(low, j)
		}
	}
	return a // slots left on either list have height 1, up to rounding
}

// draw returns an item, given a random number.
func (a alias) draw(u uint64) int32 {
	at, rest := bits.Mul64(u, uint64(len(a)))
	s := &a[at]
	if uint32(rest>>32) < s.threshold {
		return s.item
	}
	return s.other
}

// search returns the first index whose cumulative weight exceeds u, or the last index.
func search(cumulative []float64, u float64) int {
	return sort.Search(len(cumulative)-1, func(i int) bool { return cumulative[i] > u })
}

// Length is a distribution of document lengths in tokens. Its mean is Model.Tokens. Log-normal lengths have it only
// approximately, since they are rounded and raised to at least 2.
type Length int

const (
	Geometric Length = iota // 2 plus a geometric number
	Fixed                   // the same for all documents
	LogNormal               // log-normal, rounded, at least 2
)

// length draws the length of a document.
func (m *Model) length(s *random.Source) int {
	switch m.Length {
	case Fixed:
		return m.Tokens
	case LogNormal:
		mu := math.Log(float64(m.Tokens)) - m.Deviation*m.Deviation/2
		return max(int(math.Round(math.Exp(mu+m.Deviation*s.NormFloat64()))), 2)
	}
	mean := float64(m.Tokens - 2)
	if mean == 0 {
		return 2
	}
	// An exponential number, rounded down, is geometric: P(≥ j) = (1−1/(1+mean))^j.
	return 2 + int(s.ExpFloat64()/math.Log1p(1/mean))
}
