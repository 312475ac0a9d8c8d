package metric_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/metric"
)

// allFigures are the names of all figures, in their order.
var allFigures = []string{
	"recovery", "relative_recovery", "base_recovery", "approximation", "relative_approximation",
	"relative_off_diagonal_approximation",
	"dominancy", "diagonal_dominancy", "relative_dominancy", "sum_A", "specificity_nats", "sparsity",
	"anchor_quality", "log_relative_volume",
	"exclusivity", "dissimilarity", "topic_diversity", "coherence_reference", "coherence_umass", "coherence_npmi",
	"mst_incoherence",
}

func score(t *testing.T, docs *corpus.Documents, batch int, topics *metric.Topics, opts metric.Options) *metric.Report {
	t.Helper()
	r, err := metric.Score(context.Background(), inBatches(docs, batch), topics, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(r *metric.Report) []string {
	var all []string
	for _, f := range r.Figures {
		all = append(all, f.Name)
	}
	return all
}

func TestScoreDoesNotDependOnWorkers(t *testing.T) {
	const n, k = 200, 6
	docs, topics := drawn(n, k, 300), someTopics(n, k, 5)
	for _, bytes := range []int64{0, metric.NeverDense} {
		opts := metric.Options{DenseBytes: bytes, Columns: 32, Frequent: 20, Base: []int{1, 2, 3}, Seed: 2, Workers: 1}
		want := score(t, docs, 300, topics, opts)
		if !slices.Equal(names(want), allFigures) {
			t.Fatalf("figures are %v", names(want))
		}
		if want.Dense != (bytes == 0) || want.Documents != 300 {
			t.Fatalf("dense %v, %d documents", want.Dense, want.Documents)
		}
		for _, workers := range []int{2, 3, 7} {
			opts.Workers = workers
			got := score(t, docs, 7*workers, topics, opts)
			for f, figure := range got.Figures {
				if figure != want.Figures[f] {
					t.Errorf("%d workers: %v, and one: %v", workers, figure, want.Figures[f])
				}
			}
		}
	}
}

// TestScoreDoesNotDependOnNames permutes topics, and items.
func TestScoreDoesNotDependOnNames(t *testing.T) {
	const n, k = 80, 5
	docs, topics, base := drawn(n, k, 200), someTopics(n, k, 6), []int{4, 9}
	opts := metric.Options{Base: base}
	want := score(t, docs, 50, topics, opts)
	check := func(name string, got *metric.Report) {
		for f, figure := range got.Figures {
			near(t, name+" "+figure.Name, figure.Value, want.Figures[f].Value)
		}
	}
	topicOf, itemOf := []int{3, 0, 4, 1, 2}, make([]int, n) // new places
	for i := range itemOf {
		itemOf[i] = (i*23 + 11) % n
	}
	identity := func(n int) []int {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		return order
	}
	check("with permuted topics", score(t, docs, 50, permute(topics, identity(n), topicOf), opts))
	renamed := &corpus.Documents{Offsets: docs.Offsets}
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		order := identity(len(items))
		slices.SortFunc(order, func(a, b int) int { return itemOf[items[a]] - itemOf[items[b]] })
		for _, at := range order {
			renamed.Items, renamed.Counts = append(renamed.Items, int32(itemOf[items[at]])), append(renamed.Counts, counts[at])
		}
	}
	opts.Base = []int{itemOf[base[0]], itemOf[base[1]]}
	check("with permuted items", score(t, renamed, 50, permute(topics, itemOf, identity(k)), opts))
}

func permute(t *metric.Topics, itemOf, topicOf []int) *metric.Topics {
	n, k := t.Items.Dims()
	p := &metric.Topics{Items: matrix.NewTall(n, k), Mixtures: matrix.NewTall(n, k), Anchors: make([]int, k),
		TopicJoint: make([]float64, k*k)}
	for i := range n {
		for s := range k {
			p.Items.Row(itemOf[i])[topicOf[s]] = t.Items.Row(i)[s]
			p.Mixtures.Row(itemOf[i])[topicOf[s]] = t.Mixtures.Row(i)[s]
		}
	}
	for s := range k {
		p.Anchors[topicOf[s]] = itemOf[t.Anchors[s]]
		for l := range k {
			p.TopicJoint[topicOf[s]*k+topicOf[l]] = t.TopicJoint[s*k+l]
		}
	}
	return p
}

func TestScoreOfBareTopics(t *testing.T) {
	const n, k = 50, 4
	docs, topics := drawn(n, k, 100), someTopics(n, k, 7)
	r := score(t, docs, 50, &metric.Topics{Items: topics.Items}, metric.Options{})
	want := []string{"specificity_nats", "sparsity", "exclusivity", "dissimilarity",
		"topic_diversity",
		"coherence_reference", "coherence_umass", "coherence_npmi"}
	if !slices.Equal(names(r), want) {
		t.Errorf("figures are %v", names(r))
	}
	lists, err := metric.ScoreLists(context.Background(), inBatches(docs, 50), n, topics.Prominent(40), 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names(lists), want[3:]) {
		t.Errorf("figures of lists are %v", names(lists))
	}
	for _, f := range lists.Figures {
		if e, _ := r.Get(f.Name); e != f.Estimate {
			t.Errorf("%s of lists is %v, and of topics %v", f.Name, f.Value, e.Value)
		}
	}
}

func TestScoreOfNoDocuments(t *testing.T) {
	topics := someTopics(30, 3, 8)
	for _, bytes := range []int64{0, metric.NeverDense} {
		r := score(t, &corpus.Documents{}, 50, topics, metric.Options{DenseBytes: bytes})
		for _, f := range r.Figures {
			if strings.HasPrefix(f.Name, "recovery") || strings.HasPrefix(f.Name, "coherence") {
				t.Errorf("%s of no documents is %v", f.Name, f.Value)
			}
		}
	}
}

func TestReportAsJSON(t *testing.T) {
	r := &metric.Report{Documents: 7, Figures: []metric.Figure{
		{Definition: &metric.Definition{Name: "b"}, Estimate: metric.Estimate{Value: 0.25, StandardError: 0.5}},
		{Definition: &metric.Definition{Name: "a"}, Estimate: metric.Estimate{Value: math.Inf(-1)}},
		{Definition: &metric.Definition{Name: "c"}, Estimate: metric.Estimate{Value: 3}},
	}}
	text, err := json.Marshal(r)
	if want := `{"documents":7,"b":0.25,"b_standard_error":0.5,"a":null,"c":3}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	if _, ok := r.Get("d"); ok {
		t.Error("a figure that there is not")
	}
}
