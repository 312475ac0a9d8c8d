package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// TestReadmeCode compares the model of the README's Go code with that of its command: every table that the code writes has the same bytes.
func TestReadmeCode(t *testing.T) {
	t.Parallel()
	ctx, folder := t.Context(), t.TempDir()
	command, code := filepath.Join(folder, "command"), filepath.Join(folder, "code")
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"anchorage fit testdata/wiki -k 20 ", "stream.Open(ctx, shards, corpus.Options{})", "fit.Fit(ctx, docs, fit.Options{Topics: 20, Seed: 1})"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the README has no %q, which is tested here", line)
		}
	}
	var said bytes.Buffer
	if code := run(ctx, []string{"fit", "../../testdata/wiki", "-k", "20", "--no-report", "-o", command}, nil, &said, &said); code != exitDone {
		t.Fatalf("code %d: %s", code, said.String())
	}
	shards, err := shard.Discover(ctx, []string{"../../testdata/wiki"}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := fitted.Save(ctx, code); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(command, "*.parquet"))
	if err != nil || len(tables) < 10 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		want, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(code, filepath.Base(table))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", filepath.Base(table), err)
		}
	}
}
