// This file tests diagnostics against their definitions.

package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/transform"
	"anchorage/rectify"
)

// diagnosed fits a small model with diagnostics.
func diagnosedModel(t *testing.T, workers int) (*Fitted, *corpus.Corpus) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "a.parquet")
	writeShard(t, path, "word-%d", 1)
	docs := openCorpus(t, 0, nil, path)
	f, err := Fit(context.Background(), docs, Options{Topics: 4, Seed: 1, Extras: Extras{Diagnose: true},
		Run: &Run{Workers: workers}})
	if err != nil {
		t.Fatal(err)
	}
	return f, docs
}

// naiveDiagnostics computes from all documents, one by one, what Diagnose sums up.
func naiveDiagnostics(t *testing.T, f *Fitted, docs *corpus.Corpus) *model.Diagnostics {
	t.Helper()
	m := f.Loaded()
	k := m.Topics()
	d := &model.Diagnostics{Examples: make([][]model.ExampleDocument, k)}
	for range metric.Defined(metric.OfTopic) {
		d.Figures = append(d.Figures, slices.Repeat([]float64{math.NaN()}, k))
	}
	tr, err := transform.New(m, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	alpha, total := tr.Inferrer().Alpha(), 0.0
	for _, a := range alpha {
		total += a
	}
	w := tr.Inferrer().Worker()
	tokens := make([][]float64, k) // by document
	shares := make([][]float64, k)
	holds := make(map[int]map[int]bool) // item: documents
	itemTokens, itemDocuments := make([][]float64, k), make([][]float64, k)
	var tops []int
	for topic := range k {
		itemTokens[topic], itemDocuments[topic] = make([]float64, model.TopItems), make([]float64, model.TopItems)
	}
	number, count := 0, 0
	var numbers []int64
	if err := docs.Pass(context.Background(), func(run *corpus.Documents) error {
		for i := range run.Documents() {
			items, counts := run.Row(i)
			mixture := make([]float32, k)
			r := w.Infer(mixture, items, counts)
			tops = append(tops, r.Top)
			numbers = append(numbers, int64(number)+int64(run.Places[i]))
			for topic, share := range mixture {
				shares[topic] = append(shares[topic], float64(share))
				tokens[topic] = append(tokens[topic], max(float64(share)*(float64(r.Known)+total)-alpha[topic], 0))
				for position, listed := range m.Prominent[topic] {
					for at, item := range items {
						if int(item) != listed.Item {
							continue
						}
						sum := 0.0
						for l, p := range m.Items.Row(listed.Item) {
							sum += p * float64(mixture[l])
						}
						of := m.Items.Row(listed.Item)[topic] * float64(share) / sum
						itemTokens[topic][position] += float64(counts[at]) * of
						itemDocuments[topic][position] += 1 - math.Pow(1-of, float64(counts[at]))
					}
				}
			}
			for _, item := range items {
				if holds[int(item)] == nil {
					holds[int(item)] = make(map[int]bool)
				}
				holds[int(item)][count] = true
			}
			count++
		}
		number += run.Read
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for topic := range k {
		all, present, first, half, little, third, top := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
		for _, v := range tokens[topic] {
			all += v
		}
		entropy := 0.0
		order := make([]int, count)
		for doc, v := range tokens[topic] {
			order[doc] = doc
			if v > 0 {
				entropy -= v / all * math.Log(v/all)
			}
			share := shares[topic][doc]
			if tops[doc] == topic {
				top++
			}
			if v < 0.5 {
				continue
			}
			present++
			first += toOne(tops[doc] == topic)
			half, little, third = half+toOne(share >= 0.5), little+toOne(share >= 0.02), third+toOne(share >= 0.3)
		}
		d.Of("tokens")[topic], d.Of("document_entropy")[topic], d.Of("top_documents")[topic] = all, entropy,
			top/float64(count)
		d.Of("rank_1_documents")[topic], d.Of("allocation_ratio")[topic], d.Of("allocation_count")[topic] = first/present,
			half/little, third/present
		d.Of("token_document_difference")[topic] = divergence(itemTokens[topic], itemDocuments[topic])
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[topic][b], shares[topic][a]) })
		for _, doc := range order[:model.ExampleDocuments] {
			d.Examples[topic] = append(d.Examples[topic], model.ExampleDocument{Shard: docs.Inputs[0].Path, Row: numbers[doc],
				Share: shares[topic][doc]})
		}
		uniform, fromCorpus, squares := 0.0, 0.0, 0.0
		for i := range m.Items.Rows() {
			if p := m.Items.Row(i)[topic]; p > 0 {
				uniform += p * math.Log(p*float64(m.Items.Rows()))
				fromCorpus += p * math.Log(p/m.Probability[i])
				squares += p * p
			}
		}
		d.Of("uniform_distance")[topic], d.Of("corpus_distance")[topic], d.Of("effective_items")[topic] = uniform,
			fromCorpus, 1/squares
		d.Of("exclusivity")[topic], d.Of("item_length")[topic], d.Of("coherence")[topic] = 0, 0, 0
		list := m.Prominent[topic]
		for i, listed := range list {
			sum := 0.0
			for _, p := range m.Items.Row(listed.Item) {
				sum += p
			}
			d.Of("exclusivity")[topic] += m.Items.Row(listed.Item)[topic] / sum / float64(len(list))
			d.Of("item_length")[topic] += float64(len(m.Vocabulary.ID(listed.Item))) / float64(len(list))
			for j := range i {
				both := 0
				for doc := range holds[listed.Item] {
					if holds[list[j].Item][doc] {
						both++
					}
				}
				d.Of("coherence")[topic] += math.Log((float64(both) + 0.01) / (float64(len(holds[list[j].Item])) + 0.01))
			}
		}
	}
	return d
}

func toOne(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestDiagnosticsAgainstDefinitions(t *testing.T) {
	f, docs := diagnosedModel(t, 2)
	got, want := f.Diagnostics, naiveDiagnostics(t, f, docs)
	for i, c := range metric.Defined(metric.OfTopic) {
		if strings.HasPrefix(c.Name, "npmi") || strings.HasPrefix(c.Name, "umass") {
			continue // of package metric
		}
		for k, v := range got.Figures[i] {
			if w := want.Figures[i][k]; !(math.Abs(v-w) <= 2e-4*max(math.Abs(w), 0.01)) { // mixtures have single precision
				t.Errorf("%s of topic %d is %v, not %v", c.Name, k, v, w)
			}
		}
	}
	for k, examples := range got.Examples {
		for e, x := range examples {
			w := want.Examples[k][e]
			if x.Row != w.Row && math.Abs(x.Share-w.Share) > 1e-6 || x.Shard != w.Shard {
				t.Errorf("example %d of topic %d is %+v, not %+v", e, k, x, w)
			}
		}
	}
	if m := f.Manifest.Diagnostics; m.Documents != f.Manifest.Corpus.Documents || m.Sampled != m.Documents {
		t.Errorf("%d documents counted and %d inferred of %d", m.Documents, m.Sampled, f.Manifest.Corpus.Documents)
	}
}

// Examples are numbered as the documents were read, also behind documents that do not count.
func TestExamplesAreWhereTheyWereRead(t *testing.T) {
	var list []corpus.Document
	for i := range 400 {
		topic := i % 4
		one := corpus.Document{}
		if i%3 == 0 {
			one.Items = []string{"lonely"} // too short to count
		} else {
			for j := range 6 {
				one.Items = append(one.Items, fmt.Sprintf("w%d-%d", topic, (i+j*j)%10))
			}
		}
		list = append(list, one)
	}
	docs, err := corpus.FromDocuments(context.Background(), list, corpus.Options{Pruning: corpus.Pruning{MinDF: 2,
		MaxDFRatio: 1}, MinItems: 2, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	f, err := Fit(context.Background(), docs, Options{Topics: 4, Seed: 1, Extras: Extras{Diagnose: true}})
	if err != nil {
		t.Fatal(err)
	}
	for k, examples := range f.Diagnostics.Examples {
		items := f.Vocabulary.ID(f.Topics.Anchors[k])
		for _, x := range examples {
			if document := list[x.Row]; document.Items[0][:2] != items[:2] {
				t.Errorf("example %d of the topic of %s has the items %v", x.Row, items, document.Items)
			}
		}
	}
}

// written returns what a model saves of iterations.
func written(course []rectify.Iteration) (rows [][4]float64) {
	for _, i := range course {
		rows = append(rows, [4]float64{i.Change, i.Density, i.Shift, i.CorrectionsSum})
	}
	return rows
}

func TestDiagnosticsDoNotDependOnWorkers(t *testing.T) {
	one, _ := diagnosedModel(t, 1)
	three, _ := diagnosedModel(t, 3)
	for i := range one.Diagnostics.Examples { // the shards have other folders
		for e := range one.Diagnostics.Examples[i] {
			one.Diagnostics.Examples[i][e].Shard, three.Diagnostics.Examples[i][e].Shard = "", ""
		}
	}
	a, b := *one.Diagnostics, *three.Diagnostics
	if fmt.Sprintf("%v %v", a.Map, written(one.Course)) != fmt.Sprintf("%v %v", b.Map, written(three.Course)) {
		t.Error("the map or the course differs")
	}
	a.Map, b.Map = nil, nil
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%v\n%v", a, b)
	}
}

func TestDiagnosticsAreLoadedAsSaved(t *testing.T) {
	f, _ := diagnosedModel(t, 2)
	f.Diagnostics.Examples[1][0].ID, f.Diagnostics.Examples[1][0].Text = "an id", "a text"
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := *f.Diagnostics, *m.Diagnostics
	if fmt.Sprint(*a.Map, written(f.Course), a.Examples) != fmt.Sprint(*b.Map, written(m.Course), b.Examples) ||
		len(m.Course) != f.Manifest.Rectify.Iterations {
		t.Error("the map, the course or the examples differ")
	}
	for i, c := range metric.Defined(metric.OfTopic) {
		if fmt.Sprint(a.Figures[i]) != fmt.Sprint(b.Figures[i]) {
			t.Errorf("%s differs", c.Name)
		}
	}
	if fmt.Sprint(m.Eigen.Values) != fmt.Sprint(f.Eigen.Values) {
		t.Error("the eigenvalues differ")
	}
}

// divergence is the Jensen–Shannon divergence of two lists of amounts.
func divergence(a, b []float64) (total float64) {
	sumA, sumB := 0.0, 0.0
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	for i := range a {
		p, q := a[i]/sumA, b[i]/sumB
		for _, share := range []float64{p, q} {
			if share > 0 {
				total += share / 2 * math.Log(2*share/(p+q))
			}
		}
	}
	return total
}
