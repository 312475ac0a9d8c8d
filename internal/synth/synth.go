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
	"math"
	"slices"

	"anchorage/corpus"
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
