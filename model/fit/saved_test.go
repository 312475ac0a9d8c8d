package fit

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/model"
)

// A model takes the place of nothing, and needs a folder.
func TestSaveRefuses(t *testing.T) {
	folder := t.TempDir()
	f, path := fitted(t, "word-%d")
	if err := f.Save(t.Context(), path); !errors.Is(err, model.ErrExists) {
		t.Errorf("over a model: %v", err)
	}
	if err := f.Save(t.Context(), filepath.Join(folder, "none", "model")); err == nil {
		t.Error("saved in a folder that does not exist")
	}
}

// TestManifestListsOutputs checks that the manifest lists every file with its size and digest, except run.json and
// itself.
func TestManifestListsOutputs(t *testing.T) {
	_, path := fitted(t, "word-%d")
	manifest, err := model.ReadManifest(t.Context(), path, model.KindModel)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]model.OutputRecord{}
	for _, out := range manifest.Outputs {
		listed[out.Name] = out
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == model.ManifestFile || name == "run.json" || name == "_SUCCESS" {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if out, known := listed[name]; !known || out.Size != info.Size() || len(out.SHA256) != 64 {
			t.Errorf("%s: %+v", name, out)
		}
		delete(listed, name)
	}
	if len(listed) != 0 {
		t.Errorf("listed, and not there: %v", listed)
	}
}

// TestModelInMemory checks that Fitted.Model equals what Load reads, up to precision.
func TestModelInMemory(t *testing.T) {
	f, path := fitted(t, "%d")
	loaded, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	m := f.Loaded()
	if m.Topics() != 4 || m.Topics() != loaded.Topics() || !slices.Equal(m.Anchors, loaded.Anchors) ||
		!slices.Equal(m.Pivots, loaded.Pivots) ||
		!slices.Equal(m.AnchorSampleSizes, loaded.AnchorSampleSizes) ||
		!slices.Equal(m.DocumentFrequency, loaded.DocumentFrequency) ||
		!slices.Equal(m.Probability, loaded.Probability) || !slices.Equal(m.Reliability, loaded.Reliability) ||
		!slices.Equal(m.Weights, loaded.Weights) {
		t.Error("the model in memory is another one")
	}
	for k := range m.Topics() {
		if !slices.Equal(m.Names(m.Prominent[k]), loaded.Names(loaded.Prominent[k])) ||
			!slices.Equal(m.Names(m.Characteristic[k]), loaded.Names(loaded.Characteristic[k])) {
			t.Errorf("topic %d lists other items", k)
		}
	}
	for i := range m.Vocabulary.Len() {
		for k, p := range m.Items.Row(i) {
			if math.Abs(p-loaded.Items.Row(i)[k]) > 1e-7 {
				t.Fatalf("B of item %d and topic %d is %v, and %v when loaded", i, k, p, loaded.Items.Row(i)[k])
			}
		}
	}
}

// Loading ends with its context, whatever is loaded.
func TestLoadEndsWithItsContext(t *testing.T) {
	_, path := fitted(t, "word-%d")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := model.Load(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("a model: %v", err)
	}
	docs := drawnCorpus(t, 60, 4, 1000)
	sketched, err := Sketch(t.Context(), docs, Options{Topics: 4})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := save(t.Context(), filepath.Join(folder, "sketch"), nil, sketched.SaveTo); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadSketched(ctx, filepath.Join(folder, "sketch"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a sketch: %v", err)
	}
	rectified, err := sketched.Rectify(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := save(t.Context(), filepath.Join(folder, "factor"), nil, rectified.SaveTo); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRectified(ctx, filepath.Join(folder, "factor"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a factor: %v", err)
	}
}

// save creates a directory at path and saves into it.
func save(ctx context.Context, path string, run *Run, into func(*model.Output) error) error {
	out, err := orNew(run).Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	return into(out)
}
