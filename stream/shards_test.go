package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// discover writes basket files and finds them as shards.
func discover(t *testing.T, opts shard.Options, contents ...string) []shard.Shard {
	t.Helper()
	dir := t.TempDir()
	for i, content := range contents {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d.dat", i)), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	opts.Format = shard.Baskets
	shards, err := shard.Discover(context.Background(), []string{dir}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return shards
}

// TestReadShards uses real readers, with batches of every size.
func TestReadShards(t *testing.T) {
	for _, entries := range []int{0, 1, 3} {
		shards := discover(t, shard.Options{BatchEntries: entries}, "3 1 2\n5\n", "2 5 5\n1\n")
		var got collected
		intake, err := Read(context.Background(), shards,
			ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: 2}}, got.add)
		if err != nil {
			t.Fatal(err)
		}
		want := corpus.Documents{Offsets: []int32{0, 3, 4, 6, 7}, Items: []int32{0, 1, 2, 3, 2, 3, 1}, Counts: []int32{1, 1,
			1, 1, 1, 2, 1}}
		if !got.equal(&collected{want}) {
			t.Errorf("documents %v", got)
		}
		if fmt.Sprint(ids(intake.Vocabulary)) != "[3 1 2 5]" || !intake.Vocabulary.Integers() || intake.Tokens != 8 {
			t.Errorf("items %q, %d tokens", ids(intake.Vocabulary), intake.Tokens)
		}
		const sum = "5eb3faddb0b63539002081318cf527613cf8d61018f73101ad783fbe27853bad" // as sha256sum has it
		if in := intake.Inputs[1]; in.Size != 8 || in.Documents != 2 || in.SHA256 != sum {
			t.Errorf("shard %+v", in)
		}
	}
}

// TestReadBadShard checks that the error names the place, and that a shard that cannot be opened is found at once.
func TestReadBadShard(t *testing.T) {
	none := func(*corpus.Documents) error { return nil }
	shards := discover(t, shard.Options{}, "1 2\n3\n", "1\n2\n"+strings.Repeat("x", 1<<20)+"\n", "4\n")
	_, err := Read(context.Background(), shards, ReadOptions{}, none)
	if bad := new(shard.Error); !errors.As(err, &bad) || bad.Path != shards[1].Path || bad.Row != 3 {
		t.Errorf("error %.200v", err)
	}
	if err := os.Remove(shards[2].Path); err != nil {
		t.Fatal(err)
	}
	_, err = Read(context.Background(), shards[2:], ReadOptions{}, none)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
