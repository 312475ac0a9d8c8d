package anchor

import (
	"fmt"
	"math"
	"testing"

	"anchorage/matrix"
)

// listsOf makes lists of scored items.
func listsOf(items ...[]int) [][]Scored {
	out := make([][]Scored, len(items))
	for k, list := range items {
		for _, i := range list {
			out[k] = append(out[k], Scored{Item: i})
		}
	}
	return out
}

func upTo(first, last int) []int {
	var items []int
	for i := first; i < last; i++ {
		items = append(items, i)
	}
	return items
}

func TestDuplicates(t *testing.T) {
	got := duplicates(listsOf(upTo(0, 20), upTo(10, 30), upTo(11, 31), upTo(100, 120), nil), 10)
	if want := [][2]int{{0, 1}, {1, 2}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("duplicates %v, want %v", got, want)
	}
	if got := duplicates(listsOf(nil, nil), 0); got != nil {
		t.Errorf("lists without items are the same: %v", got)
	}
}

func TestBlocks(t *testing.T) {
	prior := []float64{0.25, 0.25, 0.25, 0.25}
	a := []float64{
		0.2, 0, 0.05, 0,
		0, 0.2, 0, 0.05,
		0.05, 0, 0.2, 1e-6,
		0, 0.05, 1e-6, 0.2,
	}
	if got, want := blocksOf(a, prior), "[[0 2] [1 3]]"; fmt.Sprint(got) != want {
		t.Errorf("blocks %v, want %v", got, want)
	}
	a[1], a[4] = 0.01, 0.01
	if got, want := blocksOf(a, prior), "[[0 1 2 3]]"; fmt.Sprint(got) != want {
		t.Errorf("blocks %v, want %v", got, want)
	}
}

func TestFindings(t *testing.T) {
	const n = 40
	topics := &Topics{K: 2, Anchors: []int{0, 1}, Mixtures: matrix.NewTall(n, 2), RowSums: make([]float64, n),
		Masses: []float64{0.5, 0.5}, Prior: []float64{0.5, 0.5}, TopicJoint: []float64{0.4, 0.1, 0.1, 0.4},
		Certain: []bool{true, false}, Reliability: make([]float64, n)}
	support, p := make([]float64, n), make([]float64, n)
	for i := range n {
		topics.Mixtures.Row(i)[i%2] = 1
		topics.RowSums[i] = 1.0 / n
		topics.Reliability[i] = 0.9
		p[i] = 1.0 / n
		support[i] = 50
	}
	topics.Reliability[7], topics.Reliability[8], topics.Reliability[9] = 0.1, 0.2, 0.3
	topics.Reliability[10], p[10] = 0.1, 0 // has no weight to count
	f := findingsOf(t, topics, support, p, 20)
	if got, want := fmt.Sprint(f.ThinAnchors, f.Duplicates, f.NoisyItems, f.Blocks), "[1] [] 3 []"; got != want {
		t.Errorf("findings %s, want %s", got, want)
	}
	if math.Abs(f.NoisyMass-3.0/n) > 1e-12 {
		t.Errorf("noisy items have %v of the weight, want 3/40", f.NoisyMass)
	}
	support[0] = 2
	if f = findingsOf(t, topics, support, p, 20); fmt.Sprint(f.ThinAnchors) != "[0 1]" {
		t.Errorf("thin anchors %v, want both", f.ThinAnchors)
	}
	topics.Mixtures.Row(0)[0], topics.Mixtures.Row(0)[1] = 0.5, 0.5
	topics.TopicJoint = []float64{0.5, 0, 0, 0.5}
	if f = findingsOf(t, topics, support, p, 1); fmt.Sprint(f.Duplicates, f.Blocks) != "[] [[0] [1]]" {
		t.Errorf("duplicates and blocks %v %v", f.Duplicates, f.Blocks)
	}
}

// TestDuplicatesOfFewItems compares two topics of which each has half of six items and a little of the others: lists of
// four would share two whatever they say.
func TestDuplicatesOfFewItems(t *testing.T) {
	const n = 6
	topics := &Topics{K: 2, Anchors: []int{0, 5}, Mixtures: matrix.NewTall(n, 2), RowSums: make([]float64, n),
		Masses: []float64{0.5, 0.5}, Prior: []float64{0.5, 0.5}, TopicJoint: []float64{0.4, 0.1, 0.1, 0.4}}
	p := make([]float64, n)
	for i := range n {
		own := 0.9 - 0.01*float64(i)
		topics.Mixtures.Row(i)[i/3], topics.Mixtures.Row(i)[1-i/3] = own, 1-own
		topics.RowSums[i], p[i] = 1.0/n, 1.0/n
	}
	if f := findingsOf(t, topics, p, p, 4); len(f.Duplicates) > 0 {
		t.Errorf("topics of different items are duplicates: %v", f.Duplicates)
	}
	for i := range n {
		topics.Mixtures.Row(i)[0], topics.Mixtures.Row(i)[1] = 0.5, 0.5
	}
	if f := findingsOf(t, topics, p, p, 4); len(f.Duplicates) != 1 {
		t.Errorf("equal topics are no duplicates: %v", f.Duplicates)
	}
}

func findingsOf(t *testing.T, topics *Topics, support, p []float64, count int) Findings {
	t.Helper()
	f, err := topics.Findings(t.Context(), support, p, 1, count)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
