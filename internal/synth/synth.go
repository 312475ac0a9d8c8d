// Package synth makes corpora from a known model, so that what is learned can be held against the truth.
//
// A Model says what to make: N items with Zipf frequencies, spread unevenly over K topics, some of them anchors of one topic;
// a prior of the documents' topic mixtures; lengths. Plant draws the Truth of it, B (N×K, sparse) and A (K×K), and returns a
// Corpus, whose documents are made when they are asked for and never held: as passes, all at once, or as Parquet shards.
// Recovery says how near learned topics come to the truth.
//
// Every random number is a function of the seed, of what is drawn and of its number, as package random says: document m is the same
// whoever makes it, whenever, and however many documents there are.
//
// Memory is proportional to the topics that items have a share in, about 1+7·Spread each. A Corpus may be used by several
// goroutines at once.
package synth

import (
	"context"
	"errors"
	"fmt"
	"math"

	"anchorage/corpus"
	"anchorage/internal/kernel"
)

// Model says what to make. Of Items, Topics and Documents there is at least one each; other zero values stand for the
// defaults.
type Model struct {
	Items, Topics, Documents int // N, K, M
	Seed                     uint64

	// The frequencies of items are those of a Zipf law, in proportion to (i+Offset)^−Exponent for item i from 0, but for
	// what the uneven spread over topics does to them; 0 for 1 and 10.
	Exponent, Offset float64
	// Spread is the total concentration of the Dirichlet distribution that an item's shares in the topics are drawn from,
	// Spread/K for each topic: the less it is, the fewer topics an item belongs to. 0 for 1.
	Spread float64
	// Anchors are the anchor items of every topic; 0 for 1. AnchorStrength is the share of an anchor's row of B that lies in
	// its own topic, above 1/K; the rest lies in all others alike. 0 for 1: no other topic has the item. The shares that are
	// drawn for other items are at most 1/K + ¾·(AnchorStrength − 1/K), so that this is how separable the topics are.
	Anchors        int
	AnchorStrength float64

	// The topic mixture of a document is logistic-normal if Logistic is given; otherwise it is Dirichlet with Alpha, one
	// value per topic, or else with Concentration for each, 0 for 0.1.
	Concentration float64
	Alpha         []float64
	Logistic      *LogisticNormal

	// Tokens is the mean length of a document, 0 for 50; none has fewer than 2 tokens.
	Tokens int
	Length Length
	// Deviation is that of the logarithm of log-normal lengths; 0 for 0.5.
	Deviation float64

	Workers int // goroutines; 0 for as many as there are processors
}

// maxItems bounds N: the ids of items have 7 digits.
const maxItems = 10_000_000

// withDefaults returns the model with the defaults in place of zero values.
func (m Model) withDefaults() Model {
	for _, field := range []struct {
		value *float64
		or    float64
	}{{&m.Exponent, 1}, {&m.Offset, 10}, {&m.Spread, 1}, {&m.AnchorStrength, 1}, {&m.Concentration, 0.1}, {&m.Deviation, 0.5}} {
		if *field.value == 0 {
			*field.value = field.or
		}
	}
	if m.Anchors == 0 {
		m.Anchors = 1
	}
	if m.Tokens == 0 {
		m.Tokens = 50
	}
	return m
}

// Check returns an error when the model cannot be.
func (m Model) Check() error {
	m = m.withDefaults()
	switch {
	case m.Topics < 2:
		return fmt.Errorf("a model needs 2 topics, not %d", m.Topics)
	case m.Anchors < 0 || m.Items < 2*m.Topics*(m.Anchors+1):
		return fmt.Errorf("%d topics with %d anchors each need at least %d items, not %d", m.Topics, m.Anchors, 2*m.Topics*(m.Anchors+1), m.Items)
	case m.Items > maxItems:
		return fmt.Errorf("%d items are more than %d", m.Items, maxItems)
	case m.Documents < 1:
		return fmt.Errorf("there cannot be %d documents", m.Documents)
	case !(m.AnchorStrength > 1/float64(m.Topics)) || m.AnchorStrength > 1:
		return fmt.Errorf("the strength of an anchor is a share above 1/K and at most 1, not %v", m.AnchorStrength)
	case m.Tokens < 2:
		return fmt.Errorf("documents have at least 2 tokens, not %d", m.Tokens)
	case m.Length < Geometric || m.Length > LogNormal:
		return errors.New("a length distribution that is none")
	case m.Alpha != nil && len(m.Alpha) != m.Topics:
		return fmt.Errorf("%d values of alpha for %d topics", len(m.Alpha), m.Topics)
	}
	for _, v := range append([]float64{m.Exponent, m.Offset, m.Spread, m.Concentration, m.Deviation}, m.Alpha...) {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("exponent, offset, spread, concentrations and deviation must be positive, not %v", v)
		}
	}
	if m.Logistic != nil {
		return m.Logistic.check(m.Topics)
	}
	return nil
}

// Drawn is the documents of a model.
type Drawn struct {
	Model Model
	Truth *Truth

	prior  prior
	tables []alias // items of each topic
}

// Plant draws what is to be found again. It panics at a model that Check refuses.
func (m Model) Plant() *Drawn {
	if err := m.Check(); err != nil {
		panic("synth: " + err.Error())
	}
	m = m.withDefaults()
	c := &Drawn{Model: m, Truth: m.plant(), prior: m.prior()}
	c.Truth.Correlations = c.prior.correlations(m)
	c.Truth.complete()
	c.tables = c.Truth.aliases(m.Workers)
	return c
}

// Take returns the corpus with another number of documents: the first ones of it, or more after them.
func (c *Drawn) Take(documents int) *Drawn {
	other := *c
	other.Model.Documents = documents
	return &other
}

// Draw returns all documents at once, with the truth.
func (m Model) Draw() (*corpus.Documents, *Truth) {
	c := m.Plant()
	all := &corpus.Documents{Offsets: []int32{0}}
	err := c.Pass(context.Background(), func(docs *corpus.Documents) error {
		start := int32(len(all.Items))
		all.Items = append(all.Items, docs.Items...)
		all.Counts = append(all.Counts, docs.Counts...)
		for _, offset := range docs.Offsets[1:] {
			all.Offsets = append(all.Offsets, start+offset)
		}
		return nil
	})
	if err != nil {
		panic("synth: documents that cannot fail have failed: " + err.Error())
	}
	return all, c.Truth
}

// Vocabulary returns the items in their order, under the ids of ItemID.
func (c *Drawn) Vocabulary() *corpus.Vocabulary {
	v := corpus.NewVocabulary()
	for i := range c.Model.Items {
		v.Intern([]byte(ItemID(i)))
	}
	return v
}

// parallel is kernel.Parallel for work that can neither fail nor be cancelled.
func parallel(workers, n int, fn func(i int)) {
	err := kernel.Parallel(context.Background(), workers, n, func(i int) error {
		fn(i)
		return nil
	})
	if err != nil {
		panic("synth: work that cannot fail has failed: " + err.Error())
	}
}
