// This file computes Figure 4.3 of Dong's thesis as text: the words that a topic loses where the vocabulary is cut, and gains
// where it grows.

package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
)

// change is a word that comes or goes at one size of the vocabulary, with its share in the topic.
type change struct {
	word        string
	probability float64
}

// growthStep is one size of the vocabulary beside the base: its column of the figure.
type growthStep struct {
	items   int
	gained  bool
	changes [][]change // by topic of the base
	overlap []float64  // of every topic with its counterpart, Σ_i min(p_i, p'_i) over the words of both; 1 without one
}

// writeFigure43 writes the changes as a table, and in the layout of the thesis.
func (p Grid) writeFigure43(ctx context.Context, r *results) error {
	all := report.NewTable("figure4.3", report.Texts("corpus"), report.Ints("topic", "items"), report.Texts("change"),
		report.Ints("rank"), report.Texts("word"), report.Floats("probability", "overlap"))
	var text strings.Builder
	fmt.Fprintf(&text, `
## Figure 4.3: words lost and gained as the vocabulary grows

LR-JSMF, K = %d, row sums as published, seed %d. The middle column holds the prominent words of a topic at the base size. A
column to its left holds the words that go when the vocabulary is cut from the next greater size to this one, by
p(word | topic) at the base. A column to its right holds the words that come with its size, by their probability in the
topic there that overlaps most with the topic of the base. Words are in order of decreasing probability.
`, wordTopics, wordSeed)
	for _, data := range r.textCorpora() {
		base, err := p.fitWords(ctx, r.from, data, p.Base)
		if err != nil {
			return fmt.Errorf("figure 4.3, %s: %w", data.name(), err)
		}
		steps, err := p.growthSteps(ctx, r.from, data, base)
		if err != nil {
			return fmt.Errorf("figure 4.3, %s: %w", data.name(), err)
		}
		addGrowth(all, data.name(), steps)
		describeGrowth(&text, data, base, steps)
		p.Log.Info("figure 4.3", "corpus", data.name(), "columns", len(steps))
	}
	return r.addWords(all, text.String())
}

// growthSteps returns the columns beside the base, from the smallest size to the greatest: quarters of the base apart, as in
// the thesis.
func (p Grid) growthSteps(ctx context.Context, from reader, data source, base *wordModel) ([]growthStep, error) {
	var steps []growthStep
	larger := base.vocabulary
	for quarter := 3; quarter >= 1; quarter-- {
		docs, err := from.open(ctx, data, p.Base*quarter/4, false)
		if err != nil {
			return nil, err
		}
		smaller := docs.Vocabulary
		if err := docs.Close(); err != nil {
			return nil, err
		}
		steps = append(steps, lostWords(base, larger, smaller))
		larger = smaller
	}
	slices.Reverse(steps)
	before := base.vocabulary
	for quarter := 5; quarter <= 7; quarter++ {
		m, err := p.fitWords(ctx, from, data, p.Base*quarter/4)
		if err != nil {
			return nil, err
		}
		if m.vocabulary.Len() == before.Len() {
			break // there are no more words
		}
		steps = append(steps, gainedWords(base, m, before))
		before = m.vocabulary
	}
	return steps, nil
}

// lostWords returns the words of larger that smaller has not, by their share in the topics of the base.
func lostWords(base *wordModel, larger, smaller *corpus.Vocabulary) growthStep {
	step := growthStep{items: smaller.Len()}
	for k := range base.topics.K {
		step.changes = append(step.changes, base.topWords(k, func(id string) bool {
			_, in := larger.Lookup([]byte(id))
			_, kept := smaller.Lookup([]byte(id))
			return in && !kept
		}))
		step.overlap = append(step.overlap, 1)
	}
	return step
}

// gainedWords returns the words of m that before has not, by their share in the counterparts of the base's topics.
func gainedWords(base, m *wordModel, before *corpus.Vocabulary) growthStep {
	counterparts, overlap := matchTopics(base, m)
	step := growthStep{items: m.vocabulary.Len(), gained: true, overlap: overlap}
	for _, k := range counterparts {
		step.changes = append(step.changes, m.topWords(k, func(id string) bool {
			_, known := before.Lookup([]byte(id))
			return !known
		}))
	}
	return step
}

// topWords returns the leading words of a topic among those that want picks.
func (m *wordModel) topWords(k int, want func(id string) bool) []change {
	var words []change
	for i := range m.vocabulary.Len() {
		if id := m.vocabulary.ID(i); want(id) {
			if p := m.topics.B(i, k); p > 0 {
				words = append(words, change{id, p})
			}
		}
	}
	slices.SortStableFunc(words, func(a, b change) int { return cmp.Compare(b.probability, a.probability) })
	return words[:min(wordCount, len(words))]
}

// matchTopics returns for every topic of base the topic of m that it goes with, and their overlap. The pair that overlaps most
// comes first, then the one that does among the rest.
func matchTopics(base, m *wordModel) (counterparts []int, overlap []float64) {
	k := base.topics.K
	shared := make([]float64, k*k)
	for i := range base.vocabulary.Len() {
		j, ok := m.vocabulary.Lookup([]byte(base.vocabulary.ID(i)))
		if !ok {
			continue
		}
		addShared(shared, base.topics, m.topics, i, int(j))
	}
	counterparts, overlap = make([]int, k), make([]float64, k)
	for range k {
		best := 0
		for at, v := range shared {
			if v > shared[best] {
				best = at
			}
		}
		a, b := best/k, best%k
		counterparts[a], overlap[a] = b, shared[best]
		for other := range k { // both are taken
			shared[a*k+other], shared[other*k+b] = -1, -1
		}
	}
	return counterparts, overlap
}

// addShared adds what the topics of two models share of one word.
func addShared(shared []float64, one, other *anchor.Topics, i, j int) {
	a, b := make([]float64, one.K), make([]float64, other.K)
	one.BRow(a, i)
	other.BRow(b, j)
	for k, v := range a {
		for l, w := range b {
			shared[k*other.K+l] += min(v, w)
		}
	}
}

func addGrowth(all *report.Table, docs string, steps []growthStep) {
	for _, step := range steps {
		kind := "lost"
		if step.gained {
			kind = "gained"
		}
		for k, words := range step.changes {
			for rank, c := range words {
				all.Add(docs, int64(k), int64(step.items), kind, int64(rank+1), c.word, c.probability, step.overlap[k])
			}
		}
	}
}

// describeGrowth writes the figure: a row per topic, a column per size.
func describeGrowth(text *strings.Builder, data source, base *wordModel, steps []growthStep) {
	at := slices.IndexFunc(steps, func(s growthStep) bool { return s.gained })
	if at < 0 {
		at = len(steps)
	}
	var header []string
	for i, step := range steps {
		if i == at {
			header = append(header, fmt.Sprintf("**%d (base)**", base.vocabulary.Len()))
		}
		sign := "−"
		if step.gained {
			sign = "+"
		}
		header = append(header, fmt.Sprintf("%s %d", sign, step.items))
	}
	if at == len(steps) {
		header = append(header, fmt.Sprintf("**%d (base)**", base.vocabulary.Len()))
	}
	fmt.Fprintf(text, "\n### %s\n\n", data.title)
	report.MarkdownHeader(text, header...)
	prominent := base.prominent()
	for k := range base.topics.K {
		var cells []string
		for _, step := range steps {
			var words []string
			for _, c := range step.changes[k] {
				words = append(words, c.word)
			}
			cells = append(cells, strings.Join(words, " "))
		}
		cells = slices.Insert(cells, at, "**"+strings.Join(base.words(prominent[k]), " ")+"**")
		report.MarkdownRow(text, cells...)
	}
}
