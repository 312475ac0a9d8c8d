package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/steer"
	"anchorage/shard"
	"anchorage/stream"
)

// day returns the name of the shard of a day.
func dayName(day int) string { return fmt.Sprintf("shards/2026-11-%02d.txt", day) }

// inDays makes a new folder the working directory, and writes a corpus of known topics into it as one shard per day.
func inDays(t *testing.T, days int) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("shards", 0o777); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d := range days {
		writeDay(t, dayName(d+1), d, days, 1)
		names = append(names, dayName(d+1))
	}
	return names
}

// writeDay writes a part of a corpus drawn with the given seed.
func writeDay(t *testing.T, name string, part, parts int, seed uint64) {
	t.Helper()
	docs, _ := synth.Model{Items: 60, Topics: 3, Documents: 240, Tokens: 20, Concentration: 0.1, Seed: seed}.Draw()
	var text strings.Builder
	for m := part * docs.Documents() / parts; m < (part+1)*docs.Documents()/parts; m++ {
		items, counts := docs.Row(m)
		for i, item := range items {
			text.WriteString(strings.Repeat(fmt.Sprintf("item_%d ", item), int(counts[i])))
		}
		text.WriteString("\n")
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// setting is how a test updates a store.
type setting struct {
	plan    PlanOptions
	corpus  corpus.Options
	refine  int
	passes  int
	retain  int
	script  string
	options Options
}

// usual is a setting with limits that suit a small corpus, and a short fit.
func usual() setting {
	names, err := ParseDatePattern("")
	if err != nil {
		panic(err)
	}
	return setting{plan: PlanOptions{Names: names}, refine: fit.NoRefinement, retain: 100,
		corpus: corpus.Options{Pruning: corpus.Pruning{MaxDFRatio: 0.9}}}
}

func (s setting) model(run *fit.Run) fit.Options {
	return fit.Options{Topics: 3, Seed: 1, Run: run, Sketch: fit.SketchOptions{Passes: s.passes},
		Refine: fit.RefineOptions{Passes: s.refine}}
}

// corpusOptions returns the options of opening, with the number of passes that the command line would give.
func (s setting) corpusOptions() corpus.Options {
	o := s.corpus
	if s.refine < 1 {
		o.Passes = s.passes
	}
	return o
}

// discover returns shards by their names.
func discover(t *testing.T, names []string) []shard.Shard {
	t.Helper()
	if len(names) == 0 {
		return nil
	}
	shards, err := shard.Discover(t.Context(), names, shard.Options{Format: shard.Baskets})
	if err != nil {
		t.Fatal(err)
	}
	return shards
}

// update updates a store. Nothing is generated if there is nothing new.
func (s setting) update(t *testing.T, path string, names ...string) (*Plan, *Added, *Generated, error) {
	t.Helper()
	w, err := Begin(t.Context(), path, s.options)
	if err != nil {
		return nil, nil, nil, err
	}
	defer w.Close()
	return s.with(t, w, names...)
}

// with is update with an open writer.
func (s setting) with(t *testing.T, w *Writer, names ...string) (*Plan, *Added, *Generated, error) {
	t.Helper()
	plan, err := w.Plan(t.Context(), discover(t, names), s.plan)
	if err != nil || plan.Nothing() && w.State.Generation > 0 {
		return plan, nil, nil, err
	}
	added, err := w.Add(t.Context(), plan, AddOptions{Reading: "baskets"})
	if err != nil {
		return plan, nil, nil, err
	}
	script, err := steer.Parse(strings.NewReader(s.script))
	if err != nil {
		return plan, nil, nil, err
	}
	generated, err := w.Generate(t.Context(), plan, added, GenerateOptions{Fit: s.model(&fit.Run{}), FromScratch: true,
		Corpus: s.corpusOptions(), Script: script, Retain: s.retain,
		Options: map[string]string{"topics": "3"}})
	return plan, added, generated, err
}

// must is update that must make a generation.
func (s setting) must(t *testing.T, path string, names ...string) (*Plan, *Added, *Generated) {
	t.Helper()
	plan, added, generated, err := s.update(t, path, names...)
	if err != nil {
		t.Fatal(err)
	}
	if generated == nil {
		t.Fatalf("nothing new: %+v", plan)
	}
	return plan, added, generated
}

// whole fits a model of all shards at once and returns its files.
func (s setting) whole(t *testing.T, names ...string) map[string]string {
	t.Helper()
	run := &fit.Run{}
	docs, err := stream.Open(t.Context(), discover(t, names), s.corpusOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(t.Context(), docs, s.model(run))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := fitted.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return filesOf(t, path)
}

// filesOf returns the files of a model by name, without those that differ between equal models: what the run took, and
// what was before.
func filesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(path, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		keep(t, files, entry.Name(), content)
	}
	return files
}

// keep adds a file of a model to files, unless it differs between equal models.
func keep(t *testing.T, files map[string]string, name string, content []byte) {
	t.Helper()
	switch name {
	case "run.json", "drift.parquet":
	case model.ManifestFile:
		files[name] = string(withoutPast(t, content))
	default:
		files[name] = string(content)
	}
}

// withoutPast returns a manifest without what it says of the generation before.
func withoutPast(t *testing.T, manifest []byte) []byte {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal(manifest, &values); err != nil {
		t.Fatal(err)
	}
	delete(values, "topic_ids")
	delete(values, "next_topic_id")
	delete(values, "checksum") // of the whole
	outputs := values["outputs"].([]any)
	values["outputs"] = slices.DeleteFunc(outputs,
		func(o any) bool { return o.(map[string]any)["name"] == "drift.parquet" })
	content, err := json.MarshalIndent(values, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// same wants two models to have the same files.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(want) < 5 {
		t.Fatalf("%s: only %d files", what, len(want))
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
}

// current returns the files of the current model of a store.
func current(t *testing.T, path string) map[string]string {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	place, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	return filesOf(t, place)
}

// copyTree copies a folder as it is now.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o777)
		case entry.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(link, target))
		}
		content, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(target, content, 0o666))
	})
}
