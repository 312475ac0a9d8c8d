package metric_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/rectify"
	"anchorage/sketch"
)

// openTexts makes a corpus of texts about the weather and about baking.
func openTexts() *corpus.Corpus {
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

// Topics of package anchor are scored against the documents that they were learned from.
func ExampleScore() {
	docs := openTexts()
	defer docs.Close()
	ctx := context.Background()
	options := sketch.Options{Columns: 5, Seed: 1}
	sums, err := sketch.Accumulate(ctx, docs.Pass, docs.Vocabulary, options)
	if err != nil {
		log.Fatal(err)
	}
	eigen, err := sums.Krylov(ctx, docs.Pass, 2, options)
	if err != nil {
		log.Fatal(err)
	}
	p := sums.Marginals.Probabilities()
	rectified, err := rectify.ENN(ctx, eigen.Factor(0), rectify.Options{Marginals: p})
	if err != nil {
		log.Fatal(err)
	}
	topics, err := anchor.LAW(ctx, rectified.Factor, p, anchor.Options{Polish: true})
	if err != nil {
		log.Fatal(err)
	}
	report, err := metric.Score(ctx, docs.Pass, metric.Of(topics), metric.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"relative_approximation", "sum_A", "coherence_npmi"} {
		figure, _ := report.Get(name)
		fmt.Printf("%s %.3f\n", name, figure.Value)
	}
	// Output:
	// relative_approximation 0.411
	// sum_A 1.000
	// coherence_npmi -0.060
}

// Topics of any program can be scored by the items that they are read by.
func ExampleScoreLists() {
	docs := openTexts()
	defer docs.Close()
	var lists [][]int
	for _, topic := range []string{"rain cloud umbrella", "rain oven wind"} {
		var list []int
		for _, id := range strings.Fields(topic) {
			item, _ := docs.Vocabulary.Lookup([]byte(id))
			list = append(list, int(item))
		}
		lists = append(lists, list)
	}
	report, err := metric.ScoreLists(context.Background(), docs.Pass, docs.Vocabulary.Len(), lists, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, figure := range report.Figures {
		fmt.Printf("%-20s %7.3f, better if %s\n", figure.Name, figure.Value, figure.Better)
	}
	// Output:
	// dissimilarity          2.000, better if high
	// topic_diversity        0.833, better if high
	// coherence_reference   -6.964, better if high
	// coherence_umass       -0.558, better if high
	// coherence_npmi        -0.053, better if high
}
