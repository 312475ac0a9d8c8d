package anchor_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/rectify"
	"anchorage/sketch"
)

// open makes a corpus of texts about the weather and about baking.
func open() *corpus.Corpus {
	var documents []corpus.Document
	for _, text := range []string{
		"rain cloud umbrella today", "rain umbrella wind today", "cloud wind rain rain", "umbrella wind cloud today",
		"rain cloud wind wind",
		"flour butter oven today", "flour oven yeast today", "butter yeast flour flour", "oven butter yeast today",
		"yeast oven flour butter",
	} {
		documents = append(documents, corpus.Document{Items: strings.Fields(text)})
	}
	docs, err := corpus.FromDocuments(context.Background(), documents, corpus.Everything())
	if err != nil {
		log.Fatal(err)
	}
	return docs
}

// print prints the four most probable items of every topic, in alphabetical order.
func print(topics *anchor.Topics, p []float64, names *corpus.Vocabulary) {
	var lines []string
	prominent, err := topics.Prominent(context.Background(), p, 1, 4)
	if err != nil {
		log.Fatal(err)
	}
	for _, list := range prominent {
		var items []string
		for _, scored := range list {
			items = append(items, names.ID(scored.Item))
		}
		slices.Sort(items)
		lines = append(lines, strings.Join(items, " "))
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
}

// The eigenpairs of the co-occurrences are found in passes over the documents, rectified, and read by LAW. Nothing of
// the size N×N is held.
func ExampleLAW() {
	docs := open()
	defer docs.Close()
	ctx := context.Background()
	const topics = 2
	options := sketch.Options{Columns: 5, Seed: 1}
	sums, err := sketch.Accumulate(ctx, docs.Pass, docs.Vocabulary, options)
	if err != nil {
		log.Fatal(err)
	}
	eigen, err := sums.Krylov(ctx, docs.Pass, topics, options)
	if err != nil {
		log.Fatal(err)
	}
	p := sums.Marginals.Probabilities()
	factor, err := rectify.ENN(ctx, eigen.Factor(0), rectify.Options{Marginals: p})
	if err != nil {
		log.Fatal(err)
	}
	found, err := anchor.LAW(ctx, factor.Factor, p, anchor.Options{Polish: true, Name: docs.Vocabulary.ID})
	if err != nil {
		log.Fatal(err)
	}
	print(found, p, docs.Vocabulary)
	// Output:
	// butter flour oven yeast
	// cloud rain umbrella wind
}

// With few items C can be held whole, and AW reads it.
func ExampleAW() {
	docs := open()
	defer docs.Close()
	ctx := context.Background()
	c, marginals, err := sketch.Dense(ctx, docs.Pass, docs.Vocabulary.Len(), nil, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := rectify.AP(ctx, c, 2, rectify.Options{}); err != nil {
		log.Fatal(err)
	}
	found, err := anchor.AW(ctx, c, anchor.Options{Topics: 2})
	if err != nil {
		log.Fatal(err)
	}
	print(found, marginals.Probabilities(), docs.Vocabulary)
	// Output:
	// butter flour oven yeast
	// cloud rain umbrella wind
}

// Findings say which topics rest on little and which are alike.
func ExampleTopics_Findings() {
	docs := open()
	defer docs.Close()
	ctx := context.Background()
	c, marginals, err := sketch.Dense(ctx, docs.Pass, docs.Vocabulary.Len(), nil, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	found, err := anchor.AW(ctx, c, anchor.Options{Topics: 2})
	if err != nil {
		log.Fatal(err)
	}
	support := make([]float64, docs.Vocabulary.Len())
	for i, df := range marginals.DocumentFrequency {
		support[i] = float64(df)
	}
	findings, err := found.Findings(ctx, support, marginals.Probabilities(), 1, 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rest on fewer than 5 documents:", findings.ThinAnchors)
	fmt.Println("share half of their items:", findings.Duplicates)
	// Output:
	// rest on fewer than 5 documents: [0 1]
	// share half of their items: []
}
