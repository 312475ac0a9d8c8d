package fit

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bayes"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/model"
)

// fitBayes learns a small model and saves it.
func fitBayes(t *testing.T, format string, opts BayesOptions) (*Fitted, string) {
	t.Helper()
	shards := filepath.Join(t.TempDir(), "shard.parquet")
	writeShard(t, shards, format, 3)
	docs := openCorpus(t, 0, nil, shards)
	opts.Topics, opts.BatchSize, opts.Run = 5, 100, &Run{SpillDir: t.TempDir()}
	f, err := Bayes(context.Background(), docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := f.Save(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	return f, path
}

// TestBayesModel checks that a saved model is like other models, but without anchors, and that its variational state
// survives.
func TestBayesModel(t *testing.T) {
	for _, kind := range bayes.Models {
		for _, format := range long.Grid(1, "word-%d", "%d") {
			s, path := fitBayes(t, format, BayesOptions{Options: bayes.Options{Model: kind,
				Latent: map[bayes.Model]int{bayes.CNMF: 3}[kind]}})
			m, err := model.Load(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			if m.Anchors != nil || m.Characteristic != nil || len(m.Prominent) != 5 || len(m.Prominent[0]) != model.TopItems {
				t.Errorf("%s: anchors %v, characteristic %v, prominent %v", kind, m.Anchors, m.Characteristic, m.Prominent)
			}
			for k, sum := range kernel.ColumnSums(context.Background(), m.Items, 1) {
				if math.Abs(sum-1) > 1e-5 {
					t.Errorf("%s: p(item | topic %d) sums to %v", kind, k, sum)
				}
			}
			total, probability := 0.0, 0.0
			for _, p := range m.TopicJoint {
				total += p
			}
			for v := range m.Vocabulary.Len() {
				probability += s.Topics.RowSums[v]
				sum := 0.0
				for _, p := range m.Mixtures.Row(v) {
					sum += p
				}
				if math.Abs(sum-1) > 1e-5 {
					t.Fatalf("%s: p(topic | item %d) sums to %v", kind, v, sum)
				}
			}
			if math.Abs(total-1) > 1e-9 || math.Abs(probability-1) > 1e-9 {
				t.Errorf("%s: A sums to %v and p(item) to %v", kind, total, probability)
			}
			v, err := model.LoadVariational(context.Background(), path, 1)
			if err != nil {
				t.Fatal(err)
			}
			state, vocabulary, manifest := v.State, v.Vocabulary, v.Manifest
			want, got := make([]float64, 5), make([]float64, 5)
			for v := range vocabulary.Len() {
				s.Variational.State.Row(want, v)
				state.Row(got, v)
				for k := range want {
					if math.Abs(got[k]-want[k]) > 1e-12*want[k] {
						t.Fatalf("%s: g of item %d and topic %d is %v, want %v", kind, v, k, got[k], want[k])
					}
				}
			}
			if state.Step != s.Variational.State.Step || state.Seen != manifest.Corpus.Documents ||
				manifest.Bayes.Model != kind {
				t.Errorf("%s: %d steps, %d documents, %+v", kind, state.Step, state.Seen, manifest.Bayes)
			}
			for k := range 5 {
				if kind == bayes.CNMF && state.Correlation(k, 0) != s.Variational.State.Correlation(k, 0) {
					t.Errorf("topic %d has another location", k)
				}
			}
		}
	}
}

// TestLoadVariationalRefuses checks that the InputError names the file that cannot be loaded.
func TestLoadVariationalRefuses(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"variational.parquet": func(path string) error {
			return os.Truncate(filepath.Join(path, "variational.parquet"), 100)
		},
		"topic_parameters.parquet": func(path string) error {
			return os.Remove(filepath.Join(path, "topic_parameters.parquet"))
		},
		"manifest.json": func(path string) error {
			file := filepath.Join(path, "manifest.json")
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, []byte(strings.Replace(string(text), `"model": "bnmf"`, `"model": "nmf"`, 1)), 0o666)
		},
	} {
		_, path := fitBayes(t, "word-%d", BayesOptions{Options: bayes.Options{Model: bayes.BNMF}})
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if _, err := model.LoadVariational(context.Background(), path, 1); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
