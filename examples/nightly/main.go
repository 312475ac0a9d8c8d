// Command nightly adds shards to a store and prints what became of its topics: what anchorage update does, from Go.
//
//	go run ./examples/nightly topics.store shards/
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/store"
)

func main() {
	if err := night(context.Background(), os.Args[1], os.Args[2:], 20); err != nil {
		log.Fatal(err)
	}
}

// night updates the store with all shards at the paths. Shards that the store has are not read again.
func night(ctx context.Context, path string, paths []string, topics int) error {
	shards, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return err
	}
	generated, err := store.Update(ctx, path, shards,
		store.UpdateOptions{Generate: store.GenerateOptions{Fit: fit.Options{Topics: topics}}})
	switch {
	case err != nil:
		return err
	case generated == nil:
		fmt.Println("nothing is new")
	case generated.Drift != nil:
		fmt.Println(generated.Drift.Summary)
	}
	return nil
}
