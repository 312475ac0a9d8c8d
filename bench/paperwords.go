// This file shows topics as words: Table 1 of Lee et al. (ICML 2021), and Figure 4.3 of Dong's thesis (Cornell, 2019), what
// topics gain and lose as the vocabulary grows. Both have five topics; baskets, whose items have no names, are left out.

package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/shard"
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

// wordModel is a model that is read as words.
type wordModel struct {
	vocabulary *corpus.Vocabulary
	topics     *anchor.Topics
	p          []float64
}

// fitWords learns five topics with the given number of words.
func (p Paper) fitWords(ctx context.Context, from reader, data paperData, items int) (_ *wordModel, err error) {
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
	return &wordModel{docs.Vocabulary, o.topics, fit.state.Marginals.Probabilities()}, nil
}

// words returns the ids of items.
func (m *wordModel) words(list []model.Scored) []string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = m.vocabulary.ID(s.Item)
	}
	return words
}

// textCorpora returns the corpora that have words.
func (p Paper) textCorpora() []paperData {
	var texts []paperData
	for _, d := range paperCorpora {
		if d.text && slices.Contains(p.Corpora, d.name) {
			texts = append(texts, d)
		}
	}
	return texts
}

// writeTable1 writes the topics as a table, and as the paper shows them.
func (p Paper) writeTable1(ctx context.Context, from reader, dir *durable.Dir) ([]string, error) {
	all := newTable("table1", shard.Field{Name: "corpus", Type: shard.String}, shard.Field{Name: "items", Type: shard.Int64},
		shard.Field{Name: "topic", Type: shard.Int64}, shard.Field{Name: "anchor", Type: shard.String}, shard.Field{Name: "kind", Type: shard.String},
		shard.Field{Name: "rank", Type: shard.Int64}, shard.Field{Name: "word", Type: shard.String},
		shard.Field{Name: "probability", Type: shard.Float64}, shard.Field{Name: "only_this_kind", Type: shard.String})
	var text strings.Builder
	fmt.Fprintf(&text, `# Table 1: topics by prominent and characteristic words

LR-JSMF, K = %d, row sums as published, seed %d. Prominent: the %d words with the greatest p(word | topic). Characteristic: those
that co-occur most with the topic's anchor word. Bold words are not among those of the other kind.
`, wordTopics, wordSeed, wordCount)
	for _, data := range p.textCorpora() {
		m, err := p.fitWords(ctx, from, data, min(table1Items, 2*p.Base))
		if err != nil {
			return nil, fmt.Errorf("table 1, %s: %w", data.name, err)
		}
		m.addTable1(all, data.name)
		m.describeTable1(&text, data)
		p.Log.Info("table 1", "corpus", data.name, "items", m.vocabulary.Len())
	}
	if len(all.rows) == 0 {
		return nil, nil
	}
	return nil, all.saveWith(dir, func(w io.Writer) error { _, err := io.WriteString(w, text.String()); return err })
}

// kinds returns the prominent and the characteristic words of every topic.
func (m *wordModel) kinds() (prominent, characteristic [][]model.Scored) {
	return model.Prominent(m.topics, m.p, 1, wordCount), model.Characteristic(m.topics, wordCount)
}

func (m *wordModel) addTable1(all *table, corpus string) {
	prominent, characteristic := m.kinds()
	for k := range m.topics.K {
		for _, kind := range []struct {
			name       string
			list, rest []model.Scored
		}{{"prominent", prominent[k], characteristic[k]}, {"characteristic", characteristic[k], prominent[k]}} {
			others := m.words(kind.rest)
			for rank, s := range kind.list {
				word := m.vocabulary.ID(s.Item)
				all.add(corpus, int64(m.vocabulary.Len()), int64(k), m.vocabulary.ID(m.topics.Anchors[k]), kind.name, int64(rank+1),
					word, s.Probability, yesNo(!slices.Contains(others, word)))
			}
		}
	}
}

// describeTable1 writes the topics of one corpus; those of NIPS are held against the published ones.
func (m *wordModel) describeTable1(text *strings.Builder, data paperData) {
	fmt.Fprintf(text, "\n## %s, N = %d\n\n| anchor | prominent words | characteristic words |\n| --- | --- | --- |\n", data.title, m.vocabulary.Len())
	prominent, characteristic := m.kinds()
	for k := range m.topics.K {
		one, other := m.words(prominent[k]), m.words(characteristic[k])
		fmt.Fprintf(text, "| %s | %s | %s |\n", m.vocabulary.ID(m.topics.Anchors[k]), emphasize(one, other), emphasize(other, one))
	}
	if data.name != "nips" {
		return
	}
	text.WriteString("\nThe published topics, each with the topic here that shares most of its prominent words:\n\n| published | shared | here |\n| --- | ---: | --- |\n")
	for _, line := range publishedTopics {
		published, best, shared := strings.Fields(line), 0, -1
		for k := range m.topics.K {
			if n := countShared(published, m.words(prominent[k])); n > shared {
				best, shared = k, n
			}
		}
		fmt.Fprintf(text, "| %s | %d of %d | %s |\n", line, shared, len(published), strings.Join(m.words(prominent[best]), " "))
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
