package main

import (
	"context"
	"log"
	"os"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// readmeCode is the README's Go code as a program: library SHARDS OUTPUT. The script readme.txtar compares its model
// with that of the command.
func readmeCode() {
	if err := learnAsReadme(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func learnAsReadme(ctx context.Context, path, output string) error {
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		return err
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{})
	if err != nil {
		return err
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 20, Seed: 1})
	if err != nil {
		return err
	}
	return fitted.Save(ctx, output)
}

// TestReadmeCode checks that the README has the command and the calls that readme.txtar compares.
func TestReadmeCode(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"anchorage fit testdata/wiki -k 20 ", "shard.Options{}",
		"stream.Open(ctx, shards, corpus.Options{})", "fit.Fit(ctx, docs, fit.Options{Topics: 20, Seed: 1})"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the README has no %q", line)
		}
	}
}
