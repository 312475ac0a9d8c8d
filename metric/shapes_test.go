package metric_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/metric"
)

func TestAddFindings(t *testing.T) {
	r := &metric.Report{}
	r.AddFindings(&anchor.Findings{ThinAnchors: []int{4, 7}, Duplicates: [][2]int{{1, 2}}, NoisyMass: 0.25})
	r.AddFindings(&anchor.Findings{Blocks: [][]int{{0}, {1, 2}, {3}}})
	want := "[thin_anchors:2 duplicate_topics:1 noisy_mass:0.25 blocks:1 thin_anchors:0 duplicate_topics:0 noisy_mass:0 " +
		"blocks:3]"
	var got []string
	for _, f := range r.Figures {
		got = append(got, fmt.Sprintf("%s:%g", f.Name, f.Value))
	}
	if fmt.Sprint(got) != want {
		t.Errorf("figures %v, want %s", got, want)
	}
}

// TestShapesThatDoNotFit changes one part of topics at a time.
func TestShapesThatDoNotFit(t *testing.T) {
	const n, k = 20, 3
	docs := drawn(n, k, 30)
	c, p, _ := coOccurrences(docs, n)
	dense := matrix.NewTall(n, n)
	for i, row := range c {
		copy(dense.Row(i), row)
	}
	for name, change := range map[string]func(t *metric.Topics){
		"no topics":            func(t *metric.Topics) { t.Items = matrix.NewTall(n, 0) },
		"mixtures":             func(t *metric.Topics) { t.Mixtures = matrix.NewTall(n, k+1) },
		"rows of the mixtures": func(t *metric.Topics) { t.Mixtures = matrix.NewTall(n-1, k) },
		"anchors":              func(t *metric.Topics) { t.Anchors = t.Anchors[1:] },
		"A":                    func(t *metric.Topics) { t.TopicJoint = t.TopicJoint[1:] },
	} {
		topics := someTopics(n, k, 9)
		change(topics)
		panics(t, name, func() { _, _ = metric.Score(t.Context(), inBatches(docs, 50), topics, metric.Options{}) })
		panics(t, name, func() { _, _ = metric.DenseDistances(t.Context(), dense, p, topics, nil, 1) })
	}
	topics := someTopics(n, k, 9)
	for name, call := range map[string]func(){
		"row sums of distances":   func() { _, _ = metric.DenseDistances(t.Context(), dense, p[1:], topics, nil, 1) },
		"row sums of specificity": func() { metric.Specificity(topics.Items, p[1:]) },
		"lists":                   func() { metric.Exclusivity(topics.Items, [][]int{{1}}) },
		"no lists":                func() { _, _ = metric.ScoreLists(t.Context(), inBatches(docs, 50), n, nil, 1) },
		"a long list": func() {
			_, _ = metric.CountPairs(t.Context(), inBatches(docs, 50), 100, [][]int{slices.Repeat([]int{1}, 65)}, 1)
		},
	} {
		panics(t, name, call)
	}
}

// panics fails the test unless call panics.
func panics(t *testing.T, name string, call func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	call()
}

// TestErrorsOfThePass wants the error of the documents back from every function that reads them.
func TestErrorsOfThePass(t *testing.T) {
	const n, k = 20, 3
	topics := someTopics(n, k, 9)
	failure := fmt.Errorf("unreadable")
	failing := func(context.Context, func(*corpus.Documents) error) error { return failure }
	for _, bytes := range []int64{0, metric.NeverDense} {
		if _, err := metric.Score(t.Context(), failing, topics, metric.Options{DenseBytes: bytes}); err != failure {
			t.Errorf("Score with %d bytes: %v", bytes, err)
		}
	}
	if _, err := metric.ScoreLists(t.Context(), failing, n, [][]int{{1, 2}}, 1); err != failure {
		t.Errorf("ScoreLists: %v", err)
	}
}
