package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/assignment"
	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// drawnCorpora draws corpora of m documents each, all of one truth, and opens them. Item i has the id i.
func drawnCorpora(t *testing.T, model synth.Model, count int, fn func(truth *synth.Truth, docs *corpus.Corpus)) {
	t.Helper()
	m := model.Documents
	model.Documents *= count
	all, truth := model.Draw()
	for at := range count {
		var documents []corpus.Document
		for d := at * m; d < (at+1)*m; d++ {
			items, counts := all.Row(d)
			one := corpus.Document{Counts: slices.Clone(counts)}
			for _, i := range items {
				one.Items = append(one.Items, strconv.Itoa(int(i)))
			}
			documents = append(documents, one)
		}
		docs, err := corpus.FromDocuments(context.Background(), documents, corpus.Options{Pruning: corpus.Pruning{MinDF: 1}})
		if err != nil {
			t.Fatal(err)
		}
		fn(truth, docs)
		if err := docs.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// trueTopics returns the true topic that each topic of m is nearest to, or −1 for topics that no true one is left for or near: by ℓ1
// distances of at most 1.
func trueTopics(m *Model, truth *synth.Truth) []int {
	k, size := m.Topics(), max(m.Topics(), truth.Topics)
	cost := slices.Repeat([]float64{2}, size*size)
	b := make([]float64, truth.Topics*truth.Items)
	for i := range truth.Items {
		topics, values := truth.Row(i)
		for at, topic := range topics {
			b[int(topic)*truth.Items+i] = values[at]
		}
	}
	for a := range k {
		for topic := range truth.Topics {
			distance := 1.0 // of items that were not seen
			for i := range m.Vocabulary.Len() {
				id, _ := strconv.Atoi(m.Vocabulary.ID(i))
				v := b[topic*truth.Items+id]
				distance += math.Abs(m.Items.Row(i)[a]-v) - v
			}
			cost[a*size+topic] = distance
		}
	}
	matched := assignment.Least(cost, size)[:k]
	for a, topic := range matched {
		if cost[a*size+topic] > 1 {
			matched[a] = -1
		}
	}
	return matched
}

// unequal is the prior of corpora whose topics have different shares.
var unequal = []float64{0.05, 0.1, 0.15, 0.2}

// The shares of a topic vary between corpora of one truth as much as between the resamples of one of them, so that intervals of 90 % hold
// the mean of all corpora about nine times of ten; and topics that exist are found again.
func TestBootstrapOfOtherCorpora(t *testing.T) {
	long.Test(t, "it fits fifty corpora")
	const k, corpora = 4, 25
	for name, weights := range map[string]ItemWeights{"idf": WeightsIDF, "equal": WeightsNone} {
		shares, low, high := make([][]float64, k), make([][]float64, k), make([][]float64, k)
		least, found, truly := 1.0, 0.0, 0.0
		model := synth.Model{Items: 200, Topics: k, Documents: 1500, Alpha: unequal, Seed: 4}
		drawnCorpora(t, model, corpora, func(truth *synth.Truth, docs *corpus.Corpus) {
			opts := Options{Topics: k, Seed: 1, Bootstrap: 60}
			opts.Sketch.ItemWeights = weights
			f, err := Fit(context.Background(), docs, opts)
			if err != nil {
				t.Fatal(err)
			}
			m := f.Model()
			for a, topic := range trueTopics(m, truth) {
				if topic < 0 {
					t.Fatalf("%s: topic %d is no true one", name, a)
				}
				shares[topic] = append(shares[topic], m.Shares[a])
				low[topic], high[topic] = append(low[topic], m.Stability.ShareLow[a]), append(high[topic], m.Stability.ShareHigh[a])
				if m.Stability.ShareLow[a] <= truth.Prior[topic] && truth.Prior[topic] <= m.Stability.ShareHigh[a] {
					truly += 1.0 / k / corpora
				}
				least, found = min(least, m.Stability.Found[a]), found+m.Stability.Found[a]/k/corpora
			}
		})
		covered := 0.0
		for topic := range k {
			mean := 0.0
			for _, s := range shares[topic] {
				mean += s / corpora
			}
			for at := range corpora {
				if low[topic][at] <= mean && mean <= high[topic][at] {
					covered++
				}
			}
		}
		covered /= k * corpora
		t.Logf("%s: intervals hold the mean in %.0f%% of %d cases, the truth in %.0f%%; topics are found in %.1f%% of resamples, at least in %.0f%%", name, 100*covered, k*corpora, 100*truly, 100*found, 100*least)
		if covered < 0.82 || covered > 0.99 || found < 0.97 {
			t.Errorf("%s: covered %v, found %v", name, covered, found)
		}
	}
}

// Topics that are asked for beyond those of the truth are found in few resamples, those of the truth in nearly all.
func TestBootstrapOfTooManyTopics(t *testing.T) {
	long.Test(t, "it resamples six fits 60 times")
	var real, spurious []float64
	for seed := range uint64(6) {
		drawnCorpora(t, synth.Model{Items: 300, Topics: 5, Documents: 2500, Concentration: 0.1, Seed: 20 + seed}, 1, func(truth *synth.Truth, docs *corpus.Corpus) {
			f, err := Fit(context.Background(), docs, Options{Topics: 7, Seed: 1, Bootstrap: 60})
			if err != nil {
				t.Fatal(err)
			}
			for a, topic := range trueTopics(f.Model(), truth) {
				if topic >= 0 {
					real = append(real, f.Stability.Found[a])
				} else {
					spurious = append(spurious, f.Stability.Found[a])
				}
			}
		})
	}
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	t.Logf("%d true topics are found in %.0f%% of resamples, %d others in %.0f%%", len(real), 100*mean(real), len(spurious), 100*mean(spurious))
	if len(spurious) < 8 || mean(real) < 0.9 || mean(spurious) > 0.35 {
		t.Errorf("true topics are found in %v, others in %v", real, spurious)
	}
}

// The stability of a model is saved and loaded, and is the same for any number of workers.
func TestStabilityIsSaved(t *testing.T) {
	folder, want := t.TempDir(), ""
	writeShard(t, filepath.Join(folder, "a.parquet"), "%d", 1)
	for _, workers := range []int{1, 3} {
		docs := openCorpus(t, 0, func(o *corpus.Options) { o.Workers = workers }, filepath.Join(folder, "a.parquet"))
		f, err := Fit(context.Background(), docs, Options{Topics: 4, Seed: 1, Bootstrap: 11, Run: &Run{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, fmt.Sprint(workers))
		if err := f.Save(context.Background(), path); err != nil {
			t.Fatal(err)
		}
		m, err := Load(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(*m.Stability, *m.Manifest.Bootstrap)
		if got != fmt.Sprint(*f.Stability, *f.Manifest.Bootstrap) || want != "" && got != want {
			t.Errorf("%d workers: %s", workers, got)
		}
		want = got
		for k, share := range m.Shares {
			if s := m.Stability; s.ShareLow[k] >= s.ShareHigh[k] || share < s.ShareLow[k]-0.05 || share > s.ShareHigh[k]+0.05 {
				t.Errorf("topic %d has share %v, from %v to %v", k, share, s.ShareLow[k], s.ShareHigh[k])
			}
		}
		for _, n := range []int{0, -1} {
			var option *OptionError
			if err := f.Bootstrap(context.Background(), docs, n); !errors.As(err, &option) {
				t.Errorf("%d resamples: %v", n, err)
			}
		}
	}
}

func TestPercentile(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for q, want := range map[float64]float64{0.5: 5, 0.1: 1, 0.05: 1, 0.95: 9, 0.25: 2.5, 0.72: 7.2} {
		if got := percentile(values, q); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v of 1 to 9 is %v, want %v", q, got, want)
		}
	}
	if percentile([]float64{3}, 0.9) != 3 {
		t.Error("one value")
	}
}
