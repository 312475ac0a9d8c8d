// This file makes Table 1 of Lee et al. (ICML 2021), topics as words, and Figure 4.3 of Dong's thesis (Cornell, 2019),
// the words that topics gain and lose as the vocabulary grows. Both have five topics; baskets, whose items have no
// names, are left out.

package paper

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/metric"
)

const (
	wordTopics  = 5     // K of both
	wordCount   = 6     // words of a topic
	table1Items = 10000 // N of Table 1
	wordSeed    = 1
)

// publishedTopics are the prominent words of Table 1, topic by topic.
var publishedTopics = []string{
	"neuron cell circuit synaptic layer signal",
	"layer recognition hidden word speech net",
	"control action dynamic optimal policy reinforcement",
	"cell field visual image motion direction",
	"gaussian noise approximation bound hidden matrix",
}

// wordModel is a model that people read as words.
type wordModel struct {
	vocabulary     *corpus.Vocabulary
	topics         *anchor.Topics
	settings       string
	prominent      [][]string // the words of greatest probability of every topic
	characteristic [][]string // those that occur most with its anchor, as counted
}

// fitWords learns five topics.
func fitWords(ctx context.Context, docs *corpus.Corpus, workers int) (*wordModel, error) {
	fit, err := fitSketched(ctx, docs, wordTopics, wordSeed, workers)
	if err != nil {
		return nil, err
	}
	o, err := fit.infer(ctx, anchor.RowSumsFactor)
	if err != nil {
		return nil, err
	}
	probable, err := o.topics.Prominent(ctx, fit.factor.Marginals.Probabilities(), 1, wordCount)
	if err != nil {
		return nil, err
	}
	rows, err := metric.CountAnchorRows(ctx, docs.Pass, &fit.factor.Marginals, o.topics.Anchors, workers)
	if err != nil {
		return nil, err
	}
	v := docs.Vocabulary
	return &wordModel{v, o.topics, o.settings, named(v, probable, func(s anchor.Scored) int { return s.Item }),
		named(v, rows.Characteristic(wordCount), func(s metric.ItemProbability) int { return s.Item })}, nil
}

// named returns the words of lists.
func named[T any](v *corpus.Vocabulary, lists [][]T, item func(T) int) (words [][]string) {
	for _, list := range lists {
		var ids []string
		for _, s := range list {
			ids = append(ids, v.ID(item(s)))
		}
		words = append(words, ids)
	}
	return words
}

// measureTable1 reports topics by prominent and characteristic words, and for NIPS the published topics, each with the
// topic here that shares most of its prominent words.
func measureTable1(ctx context.Context, j *run.Job, c *opened) error {
	m, err := fitWords(ctx, c.corpus, j.Workers)
	if err != nil {
		return err
	}
	c.describe(j)
	j.Row("settings", m.settings)
	prominent, characteristic := m.prominent, m.characteristic
	for k := range m.topics.K {
		j.Add("words", "topic", k, "anchor", m.vocabulary.ID(m.topics.Anchors[k]), "prominent",
			emphasize(prominent[k], characteristic[k]), "characteristic", emphasize(characteristic[k], prominent[k]))
	}
	if j.Text("corpus") != "nips" {
		return nil
	}
	for _, line := range publishedTopics {
		published, best, shared := strings.Fields(line), 0, -1
		for k := range m.topics.K {
			if n := run.Common(published, prominent[k]); n > shared {
				best, shared = k, n
			}
		}
		j.Add("published", "published", line, "shared", shared, "here", strings.Join(prominent[best], " "))
	}
	return nil
}

// emphasize joins words, those that are not among the others in bold.
func emphasize(words, others []string) string {
	marked := slices.Clone(words)
	for i, word := range words {
		if !slices.Contains(others, word) {
			marked[i] = "**" + word + "**"
		}
	}
	return strings.Join(marked, " ")
}

// measureFigure43 reports the words that come or go at sizes beside the base, quarters of it apart as in the thesis.
// Words are lost where the vocabulary is cut from the next greater size, by their share in a topic of the base; they
// are gained by their share in the counterpart of the topic.
func measureFigure43(ctx context.Context, j *run.Job, c *opened) error {
	base, err := fitWords(ctx, c.corpus, j.Workers)
	if err != nil {
		return err
	}
	c.describe(j)
	j.Row("settings", base.settings)
	for k, words := range base.prominent {
		addWords(j, k, base.vocabulary.Len(), "base", words, 1)
	}
	larger := base.vocabulary
	for quarter := 3; quarter >= 1; quarter-- {
		docs, err := c.reader.open(ctx, c.data, j.Int("size")*quarter/4, false)
		if err != nil {
			return err
		}
		smaller := docs.Vocabulary
		if err := docs.Close(); err != nil {
			return err
		}
		for k := range base.topics.K {
			addWords(j, k, smaller.Len(), "lost", base.topWords(k, larger, smaller), 1)
		}
		larger = smaller
	}
	before := base.vocabulary
	for quarter := 5; quarter <= 7; quarter++ {
		docs, err := c.reader.open(ctx, c.data, j.Int("size")*quarter/4, false)
		if err != nil {
			return err
		}
		m, err := fitWords(ctx, docs, j.Workers)
		if err := errors.Join(err, docs.Close()); err != nil {
			return err
		}
		if m.vocabulary.Len() == before.Len() {
			break // there are no more words
		}
		counterparts, overlap := matchTopics(base, m)
		for k, other := range counterparts {
			addWords(j, k, m.vocabulary.Len(), "gained", m.topWords(other, nil, before), overlap[k])
		}
		before = m.vocabulary
	}
	return nil
}

// addWords reports the words of a topic at one size of the vocabulary, and how much the topic there overlaps with that
// of the base: Σ_i min(p_i, p'_i) over the words of both.
func addWords(j *run.Job, topic, items int, change string, words []string, overlap float64) {
	j.Add("changes", "topic", topic, "at", items, "change", change, "words", strings.Join(words, " "), "overlap", overlap)
}

// topWords returns the leading words of a topic among those that one vocabulary has, nil for all, and another has not.
func (m *wordModel) topWords(k int, in, out *corpus.Vocabulary) (words []string) {
	shares := make(map[string]float64)
	for i := range m.vocabulary.Len() {
		id := m.vocabulary.ID(i)
		_, has := out.Lookup([]byte(id))
		if in != nil && !has {
			_, known := in.Lookup([]byte(id))
			has = !known
		}
		if p := m.topics.B(i, k); p > 0 && !has {
			words = append(words, id)
			shares[id] = p
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(shares[b], shares[a]) })
	return words[:min(wordCount, len(words))]
}

// matchTopics returns for every topic of base the topic of m that it goes with, and their overlap. The pair that
// overlaps most comes first, then the one that does among the rest.
func matchTopics(base, m *wordModel) (counterparts []int, overlap []float64) {
	k := base.topics.K
	shared, a, b := make([]float64, k*k), make([]float64, k), make([]float64, k)
	for i := range base.vocabulary.Len() {
		if j, ok := m.vocabulary.Lookup([]byte(base.vocabulary.ID(i))); ok {
			base.topics.BRow(a, i)
			m.topics.BRow(b, int(j))
			for at := range shared {
				shared[at] += min(a[at/k], b[at%k])
			}
		}
	}
	counterparts, overlap = make([]int, k), make([]float64, k)
	for range k {
		best := 0
		for at, v := range shared {
			if v > shared[best] {
				best = at
			}
		}
		one, other := best/k, best%k
		counterparts[one], overlap[one] = other, shared[best]
		for at := range k { // both are taken
			shared[one*k+at], shared[at*k+other] = -1, -1
		}
	}
	return counterparts, overlap
}
