package fit

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/model"
)

// mergeable sketches shards in a single pass and returns the directory.
func mergeable(t *testing.T, options Options, vocabulary *corpus.Vocabulary, paths ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sketch")
	out, err := model.Create(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	options.Sketch.Passes = max(options.Sketch.Passes, 1)
	options.Sketch.Mergeable = out
	docs := openCorpus(t, options.Sketch.Passes, func(o *corpus.Options) { o.Vocabulary = vocabulary }, paths...)
	s, err := Sketch(t.Context(), docs, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SaveTo(out); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMergeRefuses adds sketches that cannot be merged. The error gives the reason, and the sum is unchanged.
func TestMergeRefuses(t *testing.T) {
	folder := t.TempDir()
	shards := make([]string, 3)
	for i, name := range []string{"a", "b", "c"} {
		shards[i] = filepath.Join(folder, name+".parquet")
		writeShard(t, shards[i], "word-%d", uint64(i+1))
	}
	vocabulary := openCorpus(t, 0, nil, shards...).Vocabulary
	other := openCorpus(t, 0, nil, shards[0]).Vocabulary
	options := Options{Topics: 4, Seed: 3}
	seeded, wider, accurate := options, options, options
	seeded.Seed, wider.Sketch.Columns, accurate.Sketch.Passes = 4, 20, 3
	merger := new(model.Merger)
	if merger.Topics() != 0 {
		t.Errorf("%d topics of no sketches", merger.Topics())
	}
	if err := merger.Add(t.Context(), mergeable(t, options, vocabulary, shards[0])); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		path, want string
		fault      model.Fault
	}{
		"the same shard":    {mergeable(t, options, vocabulary, shards[0]), "would count twice", ""},
		"a shard of two":    {mergeable(t, options, vocabulary, shards[1], shards[0]), "would count twice", ""},
		"another seed":      {mergeable(t, seeded, vocabulary, shards[1]), "seed", ""},
		"more columns":      {mergeable(t, wider, vocabulary, shards[1]), "columns", ""},
		"other items":       {mergeable(t, options, other, shards[1]), "vocabular", ""},
		"several passes":    {mergeable(t, accurate, vocabulary, shards[1]), "was made with 3 passes", model.NotMergeable},
		"nothing":           {filepath.Join(folder, "none"), "none does not exist", ""},
		"a shard, not more": {shards[1], "is not a complete sketch", ""},
	} {
		err := merger.Add(t.Context(), test.path)
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) || input.Fault != test.fault {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := merger.Add(t.Context(), mergeable(t, options, vocabulary, shards[1])); err != nil {
		t.Fatal(err)
	}
	s, err := Merged(t.Context(), merger, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Manifest.Sketch; r.MergedFrom != 2 || r.Topics != 4 || r.Seed != 3 || r.Passes != 1 ||
		len(s.Manifest.Inputs) != 2 {
		t.Errorf("%+v of %d shards", r, len(s.Manifest.Inputs))
	}
}

// TestMergeTopics asks for fewer topics than the sketches were made for, and for more than their columns allow.
func TestMergeTopics(t *testing.T) {
	folder := t.TempDir()
	a := filepath.Join(folder, "a.parquet")
	writeShard(t, a, "word-%d", 1)
	path := mergeable(t, Options{Topics: 4, Seed: 3}, openCorpus(t, 0, nil, a).Vocabulary, a)
	for _, topics := range []int{3, 1, 65} {
		merger := new(model.Merger)
		if err := merger.Add(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		s, err := Merged(t.Context(), merger, Options{Topics: topics})
		var option *model.OptionError
		if errors.As(err, &option) != (topics != 3) || err == nil && len(s.Eigen.Values) != topics {
			t.Errorf("%d topics: %v", topics, err)
		}
	}
}
