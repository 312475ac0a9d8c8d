package stream_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

func ExampleOpen() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	baskets := "bread butter jam\nbread cheese\nbutter bread\n"
	if err := os.WriteFile(filepath.Join(folder, "baskets.txt"), []byte(baskets), 0o666); err != nil {
		log.Fatal(err)
	}

	shards, err := shard.Discover(ctx, []string{folder}, shard.Options{Format: shard.Baskets})
	if err != nil {
		log.Fatal(err)
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	for i := range docs.Vocabulary.Len() {
		fmt.Println(docs.Vocabulary.ID(i), docs.Vocabulary.DocumentFrequency[i])
	}
	// Output:
	// bread 3
	// butter 2
}
