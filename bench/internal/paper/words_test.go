package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/matrix"
)

// handMade returns a model whose B is given: a row per word, a column per topic, each of which sums to 1.
func handMade(words []string, b [][]float64) *wordModel {
	v, k := corpus.NewVocabulary(), len(b[0])
	t := &anchor.Topics{K: k, Mixtures: matrix.NewTall(len(b), k), RowSums: make([]float64, len(b)), Masses: make([]float64, k)}
	m := &wordModel{vocabulary: v, topics: t, p: make([]float64, len(b))}
	for i, row := range b {
		v.Intern([]byte(words[i]))
		for j, p := range row {
			m.p[i] += p / float64(k)
			t.Masses[j] = 1 / float64(k)
		}
		t.RowSums[i] = m.p[i]
		for j, p := range row {
			t.Mixtures.Row(i)[j] = p / float64(k) / m.p[i]
		}
	}
	return m
}

// Topics go together by what they share, Σ_i min(p_i, p'_i) over the words of both, whatever the order of words and topics.
func TestMatchTopics(t *testing.T) {
	base := handMade([]string{"a", "b", "c", "d"}, [][]float64{{0.7, 0, 0.1}, {0.3, 0.1, 0}, {0, 0.9, 0.1}, {0, 0, 0.8}})
	// The same topics in another order; "d" is not there, and "e" is new.
	other := handMade([]string{"e", "c", "b", "a"}, [][]float64{{0.6, 0.1, 0.2}, {0.2, 0, 0.7}, {0, 0.4, 0.1}, {0.2, 0.5, 0}})
	counterparts, overlap := matchTopics(base, other)
	if !slices.Equal(counterparts, []int{1, 2, 0}) {
		t.Errorf("counterparts %v", counterparts)
	}
	for k, want := range []float64{0.5 + 0.3, 0.1 + 0.7, 0.1 + 0.1} {
		if math.Abs(overlap[k]-want) > 1e-12 {
			t.Errorf("topic %d overlaps by %v, want %v", k, overlap[k], want)
		}
	}
}

// Every topic of the base has a counterpart of its own, although two of them are nearest to the same one.
func TestMatchTopicsOnce(t *testing.T) {
	words := []string{"a", "b"}
	base := handMade(words, [][]float64{{0.9, 0.6}, {0.1, 0.4}})
	other := handMade(words, [][]float64{{0.8, 0.1}, {0.2, 0.9}})
	counterparts, overlap := matchTopics(base, other)
	if !slices.Equal(counterparts, []int{0, 1}) || math.Abs(overlap[0]-0.9) > 1e-12 || math.Abs(overlap[1]-0.5) > 1e-12 {
		t.Errorf("%v, %v", counterparts, overlap)
	}
	// Without a word in common nothing overlaps, and still every topic has one.
	counterparts, overlap = matchTopics(base, handMade([]string{"x", "y"}, [][]float64{{0.8, 0.1}, {0.2, 0.9}}))
	slices.Sort(counterparts)
	if !slices.Equal(counterparts, []int{0, 1}) || overlap[0] != 0 || overlap[1] != 0 {
		t.Errorf("%v, %v", counterparts, overlap)
	}
}

// shown writes the changes of a step, topic by topic.
func shown(step growthStep) string {
	var topics []string
	for _, words := range step.changes {
		var list []string
		for _, c := range words {
			list = append(list, fmt.Sprintf("%s %.1f", c.word, c.probability))
		}
		topics = append(topics, strings.Join(list, ", "))
	}
	return strings.Join(topics, "; ")
}

// Words come and go with the probabilities of the model that has them, the most probable first.
func TestLostAndGained(t *testing.T) {
	base := handMade([]string{"a", "b", "c", "d"}, [][]float64{{0.1, 0.5}, {0.2, 0}, {0.3, 0.1}, {0.4, 0.4}})
	vocabulary := func(words ...string) *corpus.Vocabulary {
		v := corpus.NewVocabulary()
		for _, word := range words {
			v.Intern([]byte(word))
		}
		return v
	}
	lost := lostWords(base, base.vocabulary, vocabulary("a"))
	if got := shown(lost); got != "d 0.4, c 0.3, b 0.2; d 0.4, c 0.1" {
		t.Errorf("lost %s", got) // of the second topic b is no word
	}
	if lost.items != 1 || lost.gained || !slices.Equal(lost.overlap, []float64{1, 1}) {
		t.Errorf("%+v", lost)
	}
	// A word that went at a greater size does not go again.
	if got := shown(lostWords(base, vocabulary("a", "c"), vocabulary("a"))); got != "c 0.3; c 0.1" {
		t.Errorf("lost %s", got)
	}
	grown := handMade([]string{"d", "x", "a", "y"}, [][]float64{{0.3, 0.4}, {0.1, 0.2}, {0.6, 0.1}, {0, 0.3}})
	gained := gainedWords(base, grown, base.vocabulary)
	// The first topic of the base is nearest to the second of the grown model.
	if got := shown(gained); got != "y 0.3, x 0.2; x 0.1" || gained.items != 4 || !gained.gained {
		t.Errorf("%+v", gained)
	}
	if got := shown(gainedWords(base, grown, vocabulary("y"))); got != "d 0.4, x 0.2, a 0.1; a 0.6, d 0.3, x 0.1" {
		t.Errorf("gained %s", got)
	}
	table := report.NewTable("x", report.Texts("corpus"), report.Ints("topic", "items"), report.Texts("change"), report.Ints("rank"),
		report.Texts("word"), report.Floats("probability", "overlap"))
	addGrowth(table, "nips", []growthStep{lost, gained})
	if len(table.Rows) != 5+3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	if second := table.Rows[1]; !slices.Equal(second[:6], []any{"nips", int64(0), int64(1), "lost", int64(2), "c"}) || second[7] != 1.0 {
		t.Errorf("the second row %v", second)
	}
	if last := table.Rows[7]; last[1] != int64(1) || last[2] != int64(4) || last[3] != "gained" || last[5] != "x" || math.Abs(last[7].(float64)-0.8) > 1e-12 {
		t.Errorf("the last row %v", last)
	}
}

// No list is longer than the tables are wide.
func TestTopWords(t *testing.T) {
	var words []string
	var b [][]float64
	for i := range 2 * wordCount {
		words = append(words, fmt.Sprintf("word%d", i))
		b = append(b, []float64{1.0 / float64(2*wordCount)})
	}
	m := handMade(words, b)
	all := m.topWords(0, func(string) bool { return true })
	if len(all) != wordCount || all[0].word != "word0" || all[wordCount-1].word != fmt.Sprintf("word%d", wordCount-1) {
		t.Errorf("of equal words the first come first, %d of them: %+v", wordCount, all)
	}
	if none := m.topWords(0, func(string) bool { return false }); len(none) != 0 {
		t.Errorf("%+v", none)
	}
}

// Table 1 holds the leading words of every column of B, and says which of them are of one kind alone.
func TestTable1(t *testing.T) {
	p := tinyPaper(writePaperData(t)).filled()
	data, err := findSource("nips")
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.fitWords(t.Context(), reader{folder: p.Data, spill: t.TempDir(), log: p.Log}, data, 60)
	if err != nil {
		t.Fatal(err)
	}
	table := report.NewTable("table1", report.Texts("corpus"), report.Ints("items", "topic"), report.Texts("anchor", "kind"),
		report.Ints("rank"), report.Texts("word"), report.Floats("probability"), report.Texts("only_this_kind"))
	m.addTable1(table, "nips")
	var text strings.Builder
	m.describeTable1(&text, data)
	for k := range wordTopics {
		order := make([]int, m.vocabulary.Len())
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(m.topics.B(j, k), m.topics.B(i, k)) })
		rows := table.Where("topic", int64(k), "kind", "prominent")
		words := report.Distinct[string](table, "word", rows)
		others := report.Distinct[string](table, "word", table.Where("topic", int64(k), "kind", "characteristic"))
		for rank, row := range rows {
			word := m.vocabulary.ID(order[rank])
			if row[3] != m.vocabulary.ID(m.topics.Anchors[k]) || row[5] != int64(rank+1) || row[6] != word || row[7] != m.topics.B(order[rank], k) ||
				(row[8] == "yes") == slices.Contains(others, word) {
				t.Errorf("topic %d, rank %d: %v, want %s", k, rank+1, row, word)
			}
		}
		benchtest.Says(t, "the table", text.String(), fmt.Sprintf("| %s | %s | %s |\n", m.vocabulary.ID(m.topics.Anchors[k]), emphasize(words, others), emphasize(others, words)))
	}
	// Drawn words are not those of the paper.
	if got := strings.Count(text.String(), " | 0 of 6 | "); got != len(publishedTopics) {
		t.Errorf("%d published topics are compared:\n%s", got, text.String())
	}
	data.key = "wiki"
	var other strings.Builder
	if m.describeTable1(&other, data); strings.Contains(other.String(), "published") || !strings.HasPrefix(text.String(), other.String()) {
		t.Errorf("another corpus is compared with the published topics:\n%s", other.String())
	}
}
