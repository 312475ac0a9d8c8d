package synth

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// all returns the documents of a pass as one run.
func all(t *testing.T, pass func(context.Context, func(*corpus.Documents) error) error) *corpus.Documents {
	t.Helper()
	docs := &corpus.Documents{Offsets: []int32{0}}
	err := pass(context.Background(), func(part *corpus.Documents) error {
		for d := range part.Documents() {
			items, counts := part.Row(d)
			docs.Items, docs.Counts = append(docs.Items, items...), append(docs.Counts, counts...)
			docs.Offsets = append(docs.Offsets, int32(len(docs.Items)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func equal(a, b *corpus.Documents) bool {
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Items, b.Items) && slices.Equal(a.Counts, b.Counts)
}

// prefix returns the first documents.
func prefix(docs *corpus.Documents, documents int) *corpus.Documents {
	end := docs.Offsets[documents]
	return &corpus.Documents{Offsets: docs.Offsets[:documents+1], Items: docs.Items[:end], Counts: docs.Counts[:end]}
}

var priors = map[string]Model{
	"dirichlet": {Items: 300, Topics: 6, Documents: 5000, Tokens: 15, Seed: 3},
	"logistic": {Items: 300, Topics: 6, Documents: 5000, Tokens: 15, Seed: 3, Logistic: &LogisticNormal{Deviation: 1},
		Length: LogNormal},
}

// Documents do not depend on the number of workers, nor on the number of documents.
func TestDocumentsAreFunctionsOfTheirNumber(t *testing.T) {
	for name, m := range priors {
		m.Workers = 1
		c := m.Plant()
		want := all(t, c.Pass)
		if want.Documents() != m.Documents {
			t.Fatalf("%s: %d documents, want %d", name, want.Documents(), m.Documents)
		}
		for _, workers := range []int{2, 3, 16} {
			c.Model.Workers = workers
			if !equal(all(t, c.Pass), want) {
				t.Errorf("%s: %d workers make other documents", name, workers)
			}
		}
		for _, documents := range []int{1, 2047, 2048, 2049, 9000} {
			shorter := min(documents, m.Documents)
			if got := all(t, take(c, documents).Pass); got.Documents() != documents || !equal(prefix(got, shorter),
				prefix(want, shorter)) {
				t.Errorf("%s: of %d documents the first %d are others", name, documents, shorter)
			}
		}
		m.Workers = 3
		again := m.Plant()
		if !slices.Equal(dense(again.Truth), dense(c.Truth)) ||
			!slices.Equal(again.Truth.Correlations, c.Truth.Correlations) {
			t.Errorf("%s: 3 workers plant another truth", name)
		}
		if drawn, _ := m.Draw(); !equal(drawn, want) {
			t.Errorf("%s: all documents at once are others", name)
		}
		m.Seed++
		if equal(all(t, m.Plant().Pass), want) {
			t.Errorf("%s: another seed makes the same documents", name)
		}
	}
}

// The planted topics have the requested structure.
func TestTruth(t *testing.T) {
	for _, m := range []Model{
		{Items: 500, Topics: 8, Seed: 1},
		{Items: 500, Topics: 8, Seed: 2, Anchors: 3, AnchorStrength: 0.6, Spread: 4},
		{Items: 12, Topics: 3, Seed: 3},
		{Items: 8, Topics: 2, Seed: 4, Exponent: 3, Offset: 1, AnchorStrength: 0.55, Spread: 0.05},
		{Items: 100, Topics: 4, Seed: 6, AnchorStrength: 0.25 + 1e-15},
		{Items: 5000, Topics: 40, Seed: 5, Anchors: 2, Exponent: 0.3},
	} {
		m.Documents = 1
		truth := m.Plant().Truth
		m = m.Completed()
		anchors := make(map[int]int)
		for k, list := range truth.Anchors {
			if len(list) != m.Anchors {
				t.Errorf("seed %d: topic %d has %d anchors", m.Seed, k, len(list))
			}
			for _, item := range list {
				anchors[item] = k
			}
		}
		if len(anchors) != m.Topics*m.Anchors {
			t.Errorf("seed %d: %d distinct anchors", m.Seed, len(anchors))
		}
		b := dense(truth)
		columns := make([]float64, m.Topics)
		for i := range m.Items {
			row := b[i*m.Topics : (i+1)*m.Topics]
			sum := 0.0
			for k, v := range row {
				columns[k] += v
				sum += v
			}
			if k, ok := anchors[i]; ok {
				if share := row[k] / sum; math.Abs(share-m.AnchorStrength) > 1e-12 {
					t.Errorf("seed %d: anchor %d has a share of %v in its topic", m.Seed, i, share)
				}
			}
		}
		for k, sum := range columns {
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("seed %d: topic %d sums to %v", m.Seed, k, sum)
			}
		}
	}
}

// Ordinary items are less pure than anchors, and about as frequent as Zipf's law says; unequal topics change that
// somewhat.
func TestOrdinaryItems(t *testing.T) {
	m := Model{Items: 20_000, Topics: 20, Documents: 1, Seed: 1, AnchorStrength: 0.9}.Completed()
	truth := m.Plant().Truth
	class := truth.Class()
	weights := m.weights()
	for i := range m.Items {
		_, values := truth.Row(i)
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		pure := slices.ContainsFunc(truth.Anchors, func(list []int) bool { return slices.Contains(list, i) })
		if share := slices.Max(values) / sum; !pure && share >= 0.85 {
			t.Errorf("item %d has a share of %.3f", i, share)
		}
		if ratio := truth.Probabilities[i] / weights[i]; !pure && (ratio < 0.6 || ratio > 1.5) {
			t.Errorf("item %d has %.2f times its frequency", i, ratio)
		}
		if pure && class[i] != Middling {
			t.Errorf("anchor %d is of class %d", i, class[i])
		}
	}
}

func TestCheck(t *testing.T) {
	good := Model{Items: 100, Topics: 4, Documents: 10}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Model){
		"one topic":         func(m *Model) { m.Topics = 1 },
		"few items":         func(m *Model) { m.Items = 15 },
		"many anchors":      func(m *Model) { m.Anchors = 12 },
		"no documents":      func(m *Model) { m.Documents = 0 },
		"weak anchors":      func(m *Model) { m.AnchorStrength = 0.25 },
		"too strong":        func(m *Model) { m.AnchorStrength = 1.1 },
		"short documents":   func(m *Model) { m.Tokens = 1 },
		"alpha of 3":        func(m *Model) { m.Alpha = []float64{1, 1, 1} },
		"alpha of 0":        func(m *Model) { m.Alpha = []float64{1, 1, 1, 0} },
		"negative exponent": func(m *Model) { m.Exponent = -1 },
		"NaN":               func(m *Model) { m.Spread = math.NaN() },
	} {
		m := good
		change(&m)
		if m.Check() == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

func TestPassEndsEarly(t *testing.T) {
	c := priors["dirichlet"].Plant()
	stop := errors.New("enough")
	if err := c.Pass(context.Background(), func(*corpus.Documents) error { return stop }); err != stop {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Pass(ctx, func(*corpus.Documents) error { return nil }); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
}

// Shards hold the same documents as a pass.
func TestShards(t *testing.T) {
	m := priors["dirichlet"]
	c := m.Plant()
	want := all(t, c.Pass)
	for _, count := range []int{1, 3} {
		dir := t.TempDir()
		if err := c.WriteShards(context.Background(), dir, count); err != nil {
			t.Fatal(err)
		}
		shards, err := shard.Discover(context.Background(), []string{dir}, shard.Options{})
		if err != nil || len(shards) != count {
			t.Fatalf("%d shards, %v", len(shards), err)
		}
		got := all(t, func(ctx context.Context, fn func(*corpus.Documents) error) error {
			_, err := stream.Read(ctx, shards,
				stream.ReadOptions{ReadingOptions: corpus.ReadingOptions{Vocabulary: c.Vocabulary()}}, fn)
			return err
		})
		if !equal(got, want) {
			t.Errorf("%d shards hold other documents", count)
		}
	}
	for _, i := range []int{0, 7, maxItems - 1} {
		if back, ok := ParseItem(ItemID(i)); !ok || back != i {
			t.Errorf("item %d is %q, and that %d", i, ItemID(i), back)
		}
	}
	for _, id := range []string{"", "i", "i12", "x0000001", "i00000x1", "i+000001"} {
		if _, ok := ParseItem(id); ok {
			t.Errorf("%q is an item", id)
		}
	}
	vocabulary := corpus.NewVocabulary()
	vocabulary.Intern([]byte(ItemID(7)))
	vocabulary.Intern([]byte(ItemID(3)))
	if items, err := ItemsOf(vocabulary); err != nil || !slices.Equal(items, []int32{7, 3}) {
		t.Errorf("%v, %v", items, err)
	}
	vocabulary.Intern([]byte("cat"))
	if _, err := ItemsOf(vocabulary); err == nil || !strings.Contains(err.Error(), `"cat" was not drawn`) {
		t.Errorf("%v", err)
	}
}

func BenchmarkPass(b *testing.B) {
	for _, items := range []int{1000, 100_000, 1_000_000} {
		c := Model{Items: items, Topics: 100, Documents: 100_000, Tokens: 20, Seed: 1, Workers: 1}.Plant()
		b.Run(ItemID(items), func(b *testing.B) {
			for b.Loop() {
				if err := c.Pass(context.Background(), func(*corpus.Documents) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Model.Documents), "ns/document")
		})
	}
}

func BenchmarkPlant(b *testing.B) {
	m := Model{Items: 1_000_000, Topics: 100, Documents: 1, Seed: 1, Workers: 1}
	for b.Loop() {
		m.Plant()
	}
}

// take returns the same corpus with another number of documents.
func take(c *Drawn, documents int) *Drawn {
	other := *c
	other.Model.Documents = documents
	return &other
}

// dense returns B, N×K row-major.
func dense(t *Truth) []float64 {
	b := make([]float64, t.Items*t.Topics)
	for i := range t.Items {
		t.CopyRow(b[i*t.Topics:][:t.Topics], i)
	}
	return b
}
