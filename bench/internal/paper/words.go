// This file shows topics as words: Table 1 of Lee et al. (ICML 2021), and Figure 4.3 of Dong's thesis (Cornell, 2019), what
// topics gain and lose as the vocabulary grows. Both have five topics; baskets, whose items have no names, are left out.

package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/bench/internal/report"
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
	vocabulary *corpus.Vocabulary
	topics     *anchor.Topics
	p          []float64
	rows       *metric.AnchorRows // what occurs with the anchors, as counted
}

// fitWords learns five topics with the given number of words.
func (p Grid) fitWords(ctx context.Context, from reader, data source, items int) (_ *wordModel, err error) {
	docs, err := from.open(ctx, data, items, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := docs.Close(); err == nil {
			err = closing
		}
	}()
	fit, err := fitSketched(ctx, docs, wordTopics, wordSeed, p.Workers)
	if err != nil {
		return nil, err
	}
	o, err := fit.infer(ctx, anchor.RowSumsFactor, p.Workers)
	if err != nil {
		return nil, err
	}
	rows, err := metric.CountAnchorRows(ctx, docs.Pass, &fit.factor.Marginals, o.topics.Anchors, p.Workers)
	if err != nil {
		return nil, err
	}
	return &wordModel{docs.Vocabulary, o.topics, fit.factor.Marginals.Probabilities(), rows}, nil
}

// words returns the ids of items.
func (m *wordModel) words(list []anchor.Scored) []string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = m.vocabulary.ID(s.Item)
	}
	return words
}

// textCorpora returns the corpora that have words.
func (r *results) textCorpora() []source {
	return slices.DeleteFunc(slices.Clone(r.sources), func(d source) bool { return !d.text })
}

// writeTable1 writes the topics as a table, and as the paper shows them.
func (p Grid) writeTable1(ctx context.Context, r *results) error {
	all := report.NewTable("table1", report.Texts("corpus"), report.Ints("items", "topic"), report.Texts("anchor", "kind"),
		report.Ints("rank"), report.Texts("word"), report.Floats("probability"), report.Texts("only_this_kind"))
	var text strings.Builder
	fmt.Fprintf(&text, `
## Table 1: topics by prominent and characteristic words

LR-JSMF, K = %d, row sums as published, seed %d. Prominent words have the greatest p(word | topic); characteristic words
occur most with the topic's anchor word, as counted in the documents: they have the greatest entries in its row of the empirical C̄.
%d words each. Stop words are left out of the vocabulary. Bold words are not among those of the other kind.
`, wordTopics, wordSeed, wordCount)
	for _, data := range r.textCorpora() {
		m, err := p.fitWords(ctx, r.from, data, min(table1Items, 2*p.Base))
		if err != nil {
			return fmt.Errorf("table 1, %s: %w", data.name(), err)
		}
		m.addTable1(all, data.name())
		m.describeTable1(&text, data)
		p.Log.Info("table 1", "corpus", data.name(), "items", m.vocabulary.Len())
	}
	return r.addWords(all, text.String())
}

// addWords adds a table of words and its section, if there is a corpus of words.
func (r *results) addWords(all *report.Table, section string) error {
	if len(all.Rows) == 0 {
		return nil
	}
	r.sections.WriteString(section)
	return r.AddTables(all)
}

// prominent returns the words of every topic with the greatest probability.
func (m *wordModel) prominent() [][]anchor.Scored { return m.topics.Prominent(m.p, 1, wordCount) }

// kinds returns the prominent and the characteristic words of every topic.
func (m *wordModel) kinds() (prominent, characteristic [][]anchor.Scored) {
	for _, list := range m.rows.Characteristic(wordCount) {
		var words []anchor.Scored
		for _, listed := range list {
			words = append(words, anchor.Scored{Item: listed.Item, Probability: listed.Probability})
		}
		characteristic = append(characteristic, words)
	}
	return m.prominent(), characteristic
}

func (m *wordModel) addTable1(all *report.Table, docs string) {
	prominent, characteristic := m.kinds()
	for k := range m.topics.K {
		for _, kind := range []struct {
			name       string
			list, rest []anchor.Scored
		}{{"prominent", prominent[k], characteristic[k]}, {"characteristic", characteristic[k], prominent[k]}} {
			others := m.words(kind.rest)
			for rank, s := range kind.list {
				word := m.vocabulary.ID(s.Item)
				all.Add(docs, int64(m.vocabulary.Len()), int64(k), m.vocabulary.ID(m.topics.Anchors[k]), kind.name, int64(rank+1),
					word, s.Probability, yesNo(!slices.Contains(others, word)))
			}
		}
	}
}

// describeTable1 writes the topics of one corpus. It compares those of NIPS with the published ones.
func (m *wordModel) describeTable1(text *strings.Builder, data source) {
	fmt.Fprintf(text, "\n### %s, N = %d\n\n", data.title, m.vocabulary.Len())
	report.MarkdownHeader(text, "anchor", "prominent words", "characteristic words")
	prominent, characteristic := m.kinds()
	for k := range m.topics.K {
		one, other := m.words(prominent[k]), m.words(characteristic[k])
		report.MarkdownRow(text, m.vocabulary.ID(m.topics.Anchors[k]), emphasize(one, other), emphasize(other, one))
	}
	if data.key != "nips" {
		return
	}
	text.WriteString("\nThe published topics, each with the topic here that shares most of its prominent words:\n\n")
	report.MarkdownHeader(text, "published", "shared:", "here")
	for _, line := range publishedTopics {
		published, best, shared := strings.Fields(line), 0, -1
		for k := range m.topics.K {
			if n := countShared(published, m.words(prominent[k])); n > shared {
				best, shared = k, n
			}
		}
		report.MarkdownRow(text, line, fmt.Sprintf("%d of %d", shared, len(published)), strings.Join(m.words(prominent[best]), " "))
	}
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

func countShared(words, others []string) int {
	n := 0
	for _, word := range words {
		if slices.Contains(others, word) {
			n++
		}
	}
	return n
}
