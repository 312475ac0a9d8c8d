// Command embed shows how a program of one's own uses Anchorage: it learns topics from documents in memory and from
// shards, saves a model, loads it, and prints the topics with the names of their items.
//
//	go run . [SHARD...]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run learns from a few baskets and, if there are any, from shards.
func run(ctx context.Context, paths []string) error {
	docs, err := corpus.FromDocuments(ctx, baskets(900), corpus.Options{})
	if err != nil {
		return err
	}
	if err := learn(ctx, docs, 3); err != nil || len(paths) == 0 {
		return err
	}
	shards, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return err
	}
	docs, err = stream.Open(ctx, shards, corpus.Options{})
	if err != nil {
		return err
	}
	return learn(ctx, docs, 20)
}

// learn fits a model, saves it, loads it, and prints its topics. It closes the documents.
func learn(ctx context.Context, docs *corpus.Corpus, topics int) error {
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: topics, Seed: 1})
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "embed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model")
	if err := fitted.Save(ctx, path); err != nil {
		return err
	}
	m, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	fmt.Printf("%d topics of %d items in %d documents\n", m.Topics(), m.Vocabulary.Len(), m.Manifest.Corpus.Documents)
	for k, prominent := range m.Prominent {
		fmt.Printf("%3d  %s\n", k, strings.Join(m.Names(prominent[:6]), " "))
	}
	return nil
}

// baskets returns purchases of people who bake, cook pasta or paint.
func baskets(count int) []corpus.Document {
	lists := [][]string{
		{"flour", "yeast", "rye", "salt", "malt", "bran", "loaf tin"},
		{"pasta", "tomato", "basil", "garlic", "olive oil", "parmesan", "capers"},
		{"canvas", "brush", "easel", "turpentine", "ochre", "varnish", "palette"},
	}
	var documents []corpus.Document
	for i := range count {
		list := lists[i%3]
		basket := []string{list[i/3%7], list[(i/3+1+i%2)%7], list[(i/3+4)%7]}
		if i%4 == 0 {
			basket = append(basket, lists[(i+1)%3][i/4%7])
		}
		documents = append(documents, corpus.Document{Items: basket})
	}
	return documents
}
