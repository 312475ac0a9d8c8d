package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/internal/sealed"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/shard/tablefile"
	"anchorage/stream"
)

var quiet = slog.New(slog.DiscardHandler)

// writeShard writes a corpus of 5 topics over 150 items, whose ids are words or numbers.
func writeShard(t *testing.T, path, format string, seed uint64) {
	t.Helper()
	writeDrawn(t, path, format, synth.Model{Items: 150, Topics: 5, Documents: 600, Tokens: 30,
		Concentration: 0.1, Seed: seed})
}

// writeDrawn writes documents drawn from a model.
func writeDrawn(t *testing.T, path, format string, model synth.Model) {
	t.Helper()
	docs, _ := model.Draw()
	err := durable.WriteFile(path, func(w io.Writer) error {
		writer, err := tablefile.NewDocumentWriter(w)
		if err != nil {
			return err
		}
		for d := range docs.Documents() {
			indices, counts := docs.Row(d)
			items := make([]string, len(indices))
			for i, index := range indices {
				items[i] = fmt.Sprintf(format, index)
			}
			if err := writer.Write(fmt.Sprint(d), items, counts); err != nil {
				return err
			}
		}
		return writer.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// openCorpus opens shards with the usual pruning.
func openCorpus(t *testing.T, passes int, change func(*corpus.Options), paths ...string) *corpus.Corpus {
	t.Helper()
	shards, err := shard.Discover(context.Background(), paths, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source := corpus.Options{Pruning: corpus.Pruning{MinDF: 3, MaxDFRatio: 1}, MinItems: 3, MinTokens: 5,
		Dir: t.TempDir(), Log: quiet}
	source.Passes = passes
	if change != nil {
		change(&source)
	}
	docs, err := stream.Open(context.Background(), shards, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { docs.Close() })
	return docs
}

// fitted fits a model and saves it.
func fitted(t *testing.T, format string) (s *Fitted, path string) {
	t.Helper()
	folder := t.TempDir()
	writeShard(t, filepath.Join(folder, "a.parquet"), format, 1)
	docs := openCorpus(t, 0, nil, filepath.Join(folder, "a.parquet"))
	s, err := Fit(context.Background(), docs, Options{Topics: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(folder, "model")
	if err := s.Save(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	return s, path
}

func TestLoadIsWhatWasSaved(t *testing.T) {
	for _, format := range []string{"word-%d", "%d"} {
		s, path := fitted(t, format)
		m, err := model.Load(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		w := s.Loaded()
		if m.Vocabulary.Fingerprint() != w.Vocabulary.Fingerprint() || fmt.Sprint(m.Anchors, m.TopicJoint, m.Shares,
			m.Probability, m.WeightedProbability,
			m.Weights, m.Prominent, m.Characteristic) != fmt.Sprint(w.Anchors, w.TopicJoint, w.Shares, w.Probability,
			w.WeightedProbability,
			w.Weights, w.Prominent, w.Characteristic) {
			t.Errorf("%s: vocabulary, anchors, probabilities or lists differ", format)
		}
		for i := range m.Vocabulary.Len() {
			for k := range 4 {
				if math.Abs(m.Mixtures.Row(i)[k]-w.Mixtures.Row(i)[k]) > 1e-7 ||
					math.Abs(m.Items.Row(i)[k]-w.Items.Row(i)[k]) > 1e-7 {
					t.Fatalf("%s: item %d, topic %d differs", format, i, k)
				}
			}
		}
	}
}

func TestProminentAgainstNaive(t *testing.T) {
	s, _ := fitted(t, "word-%d")
	prominent, err := s.Topics.Prominent(t.Context(), s.Marginals.Probabilities(), 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	for k, list := range prominent {
		if len(list) != 10 {
			t.Fatalf("topic %d lists %d items", k, len(list))
		}
		least := list[9].Probability
		above := 0
		for i := range s.Vocabulary.Len() {
			if s.Topics.B(i, k) > least {
				above++
			}
		}
		if above > 9 {
			t.Errorf("topic %d: %d items are more probable than the tenth", k, above)
		}
		for r := 1; r < 10; r++ {
			if list[r].Probability > list[r-1].Probability {
				t.Errorf("topic %d: ranks %d and %d are out of order", k, r-1, r)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	_, path := fitted(t, "word-%d")
	for _, c := range []struct {
		name   string
		damage func(dir string) error
		want   string
	}{
		{"no success mark", func(dir string) error { return os.Remove(filepath.Join(dir, durable.Success)) }, "no _SUCCESS"},
		{"no manifest", func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) },
			"no readable manifest"},
		{"manifest cut", func(dir string) error { return os.Truncate(filepath.Join(dir, "manifest.json"), 100) },
			"cannot be trusted"},
		{"other layout", replaceIn("manifest.json", `"layout": 1`, `"layout": 2`), "has layout 2"},
		{"other kind", replaceIn("manifest.json", model.KindModel, model.KindSketch), "is a sketch"},
		{"other vocabulary", replaceIn("manifest.json", `"vocabulary_sha256": "`, `"vocabulary_sha256": "0`),
			"not the one of its manifest"},
		{"other topics", replaceIn("manifest.json", `"topics": 4`, `"topics": 5`), "mixture"},
		{"table cut", func(dir string) error { return os.Truncate(filepath.Join(dir, "items.parquet"), 1000) },
			"items.parquet"},
		{"table of something else", func(dir string) error {
			return os.Rename(filepath.Join(dir, "anchors.parquet"), filepath.Join(dir, "topic_items.parquet"))
		}, "topic_items.parquet"},
	} {
		damaged := filepath.Join(t.TempDir(), "model")
		if err := os.CopyFS(damaged, os.DirFS(path)); err != nil {
			t.Fatal(err)
		}
		if err := c.damage(damaged); err != nil {
			t.Fatal(err)
		}
		_, err := model.Load(context.Background(), damaged)
		var directory *model.InputError
		var table *shard.Error
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &directory) && !errors.As(err, &table) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func replaceIn(file, old, new string) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.Contains(string(data), old) {
			return fmt.Errorf("%s does not hold %s", file, old)
		}
		object, has, err := sealed.Open(data)
		if err != nil {
			return err
		}
		if object = []byte(strings.Replace(string(object), old, new, 1)); has {
			object = sealed.Seal(object)
		}
		return os.WriteFile(path, object, 0o644)
	}
}

// TestMergeIsTheWhole checks that merged sketches of two shards equal a sketch of both.
func TestMergeIsTheWhole(t *testing.T) {
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet")
	writeShard(t, a, "word-%d", 1)
	writeShard(t, b, "word-%d", 2)
	vocabulary := openCorpus(t, 0, nil, a, b).Vocabulary
	sketched := func(name string, paths ...string) string {
		path := filepath.Join(folder, name)
		out, err := model.Create(context.Background(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Abort()
		docs := openCorpus(t, 1, func(s *corpus.Options) { s.Vocabulary = vocabulary }, paths...)
		s, err := Sketch(context.Background(), docs, Options{Topics: 4, Seed: 3, Sketch: SketchOptions{Passes: 1,
			Mergeable: out}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SaveTo(out); err != nil {
			t.Fatal(err)
		}
		return path
	}
	merger := new(model.Merger)
	for _, path := range []string{sketched("sa", a), sketched("sb", b)} {
		if err := merger.Add(context.Background(), path); err != nil {
			t.Fatal(err)
		}
	}
	merged, err := Merged(t.Context(), merger, Options{Topics: 4})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := LoadSketched(context.Background(), sketched("both", a, b), nil)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Manifest.Corpus.Documents != whole.Manifest.Corpus.Documents || len(merged.Manifest.Inputs) != 2 {
		t.Errorf("merged %d documents of %d shards, the whole has %d", merged.Manifest.Corpus.Documents,
			len(merged.Manifest.Inputs), whole.Manifest.Corpus.Documents)
	}
	for j := range 4 {
		if math.Abs(merged.Eigen.Values[j]-whole.Eigen.Values[j]) > 1e-6*whole.Eigen.Values[0] {
			t.Errorf("eigenvalue %d is %v, of the whole %v", j, merged.Eigen.Values[j], whole.Eigen.Values[j])
		}
	}
	inner := kernel.Gram(context.Background(), merged.Eigen.Vectors, whole.Eigen.Vectors, 1)
	for j := range 4 {
		if math.Abs(math.Abs(inner[j*4+j])-1) > 1e-6 {
			t.Errorf("eigenvector %d differs: inner product %v", j, inner[j*4+j])
		}
	}
}

func TestCorpusRefusesNothingToLearnFrom(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"nothing": {"\n\n", "nothing.dat holds documents, but no items"},
		"rare":    {"1 2 3\n4 5 6\n", "pruning leaves no items: of 6, 6 are in too few"},
	} {
		path := filepath.Join(folder, name+".dat")
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		shards, err := shard.Discover(context.Background(), []string{path}, shard.Options{Format: shard.Baskets})
		if err != nil {
			t.Fatal(err)
		}
		_, err = stream.Open(context.Background(), shards, corpus.Options{Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: 1},
			Dir: folder, Log: quiet, MinItems: 1, MinTokens: 1})
		var data *corpus.DataError
		if !errors.As(err, &data) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
