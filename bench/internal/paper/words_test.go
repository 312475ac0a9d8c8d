package paper

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
)

// handMade returns a model whose B is given: a row per word, a column per topic, each of which sums to 1.
func handMade(words []string, b [][]float64) *wordModel {
	v, k := corpus.NewVocabulary(), len(b[0])
	t := &anchor.Topics{K: k, Mixtures: matrix.NewTall(len(b), k), RowSums: make([]float64, len(b)),
		Masses: make([]float64, k)}
	m, all := &wordModel{vocabulary: v, topics: t}, make([]float64, len(b))
	for i, row := range b {
		v.Intern([]byte(words[i]))
		for j, p := range row {
			all[i] += p / float64(k)
			t.Masses[j] = 1 / float64(k)
		}
		t.RowSums[i] = all[i]
		for j, p := range row {
			t.Mixtures.Row(i)[j] = p / float64(k) / all[i]
		}
	}
	return m
}

// Topics go together by what they share, Σ_i min(p_i, p'_i) over the words of both, whatever the order of words and
// topics.
func TestMatchTopics(t *testing.T) {
	base := handMade([]string{"a", "b", "c", "d"}, [][]float64{{0.7, 0, 0.1}, {0.3, 0.1, 0}, {0, 0.9, 0.1}, {0, 0, 0.8}})
	// The same topics in another order; "d" is not there, and "e" is new.
	other := handMade([]string{"e", "c", "b", "a"}, [][]float64{{0.6, 0.1, 0.2}, {0.2, 0, 0.7}, {0, 0.4, 0.1},
		{0.2, 0.5, 0}})
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

// Every topic of the base has its own counterpart, although two of them are nearest to the same one.
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

// Words that are lost are those of one vocabulary that another has not, the most probable first, and no list is longer
// than the tables are wide.
func TestTopWords(t *testing.T) {
	m := handMade([]string{"a", "b", "c", "d", "e"}, [][]float64{{0.1, 0}, {0.4, 1}, {0.3, 0}, {0.2, 0}, {0, 0}})
	in, out := corpus.NewVocabulary(), corpus.NewVocabulary()
	for _, id := range []string{"a", "b", "c"} {
		in.Intern([]byte(id))
	}
	out.Intern([]byte("b"))
	if got := m.topWords(0, in, out); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("lost %v", got)
	}
	if got := m.topWords(0, nil, out); !slices.Equal(got, []string{"c", "d", "a"}) {
		t.Errorf("gained %v", got)
	}
	var ids []string
	var b [][]float64
	for i := range 2 * wordCount {
		ids, b = append(ids, fmt.Sprint(i)), append(b, []float64{1 / float64(2*wordCount), 0})
	}
	if got := handMade(ids, b).topWords(0, nil, out); len(got) != wordCount {
		t.Errorf("%d words", len(got))
	}
}

func TestEmphasize(t *testing.T) {
	words, others := []string{"a", "b", "c"}, []string{"c", "d", "a"}
	if got := emphasize(words, others); got != "a **b** c" {
		t.Errorf("%s", got)
	}
}
