package fit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"anchorage/model"
)

// A sketch that cannot be read to its end spoils the sum, which says so from then on.
func TestMergeSpoilt(t *testing.T) {
	folder := t.TempDir()
	shards := []string{filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet")}
	for i, path := range shards {
		writeShard(t, path, "word-%d", uint64(i+1))
	}
	vocabulary := openCorpus(t, 0, nil, shards...).Vocabulary
	options := Options{Topics: 4, Seed: 3}
	first, second := mergeable(t, options, vocabulary, shards[0]), mergeable(t, options, vocabulary, shards[1])
	merger := new(model.Merger)
	if err := merger.Add(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	ctx := model.Unverified(t.Context())
	if err := os.Truncate(filepath.Join(second, "sketch.parquet"), 1000); err != nil {
		t.Fatal(err)
	}
	err := merger.Add(ctx, second)
	if err == nil {
		t.Fatal("half of a sketch was added")
	}
	if again := merger.Add(ctx, first); !errors.Is(again, err) {
		t.Errorf("a sum that is spoilt takes more: %v", again)
	}
}
