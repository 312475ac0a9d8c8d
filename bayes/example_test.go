package bayes_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"anchorage/bayes"
	"anchorage/corpus"
)

// texts are about the weather and about baking.
var texts = []string{
	"rain cloud umbrella today", "rain umbrella wind today", "cloud wind rain rain", "umbrella wind cloud today",
	"rain cloud wind wind",
	"flour butter oven today", "flour oven yeast today", "butter yeast flour flour", "oven butter yeast today",
	"yeast oven flour butter",
}

// copies is how often the texts are repeated: so few would not tell two topics apart from every start.
const copies = 4

// fit learns two topics of the texts by the batch algorithm.
func fit(ctx context.Context, model bayes.Model) (*bayes.State, *corpus.Corpus) {
	var documents []corpus.Document
	for i := range copies * len(texts) {
		documents = append(documents, corpus.Document{Items: strings.Fields(texts[i%len(texts)])})
	}
	docs, err := corpus.FromDocuments(ctx, documents, corpus.Everything())
	if err != nil {
		log.Fatal(err)
	}
	totals := bayes.Totals{Items: docs.Vocabulary.Len(), Key: docs.Vocabulary.Key}
	err = docs.Pass(ctx, func(some *corpus.Documents) error {
		totals.Documents += int64(some.Documents())
		for _, count := range some.Counts {
			totals.Tokens += int64(count)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	state := bayes.NewState(bayes.Options{Model: model, Topics: 2, C0: 0.9, Seed: 1}, totals)
	fitter, err := bayes.NewFitter(state, bayes.Plan{Batch: true}, bayes.Source{Pass: docs.Pass})
	if err != nil {
		log.Fatal(err)
	}
	defer fitter.Close()
	if err := fitter.Run(ctx); err != nil {
		log.Fatal(err)
	}
	return state, docs
}

func ExampleFitter() {
	state, docs := fit(context.Background(), bayes.LDA)
	defer docs.Close()
	row := make([]float64, 2)
	names := make([][]string, 2)
	for item := range docs.Vocabulary.Len() {
		state.MeanRow(row, item)
		for k, p := range row {
			if p > 0.1 {
				names[k] = append(names[k], docs.Vocabulary.ID(item))
			}
		}
	}
	var topics []string // which of them comes first is a matter of chance
	for _, list := range names {
		slices.Sort(list)
		topics = append(topics, strings.Join(list, " "))
	}
	slices.Sort(topics)
	fmt.Println(strings.Join(topics, "\n"))
	// Output:
	// butter flour oven today yeast
	// cloud rain today umbrella wind
}

// What a fit will take is known before it begins.
func ExampleOptions_Memory() {
	options := bayes.Options{Model: bayes.LDA, Topics: 100}
	const items, documents, entries = 1_000_000, 10_000_000, 1_000_000_000
	fmt.Println("memory", options.Memory(items, false, entries/documents)>>20, "MiB")
	// Output:
	// memory 962 MiB
}
