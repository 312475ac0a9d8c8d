package choose_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"anchorage/corpus"
	"anchorage/model/choose"
	"anchorage/model/fit"
)

// recipes returns documents of seven words each, drawn from three subjects.
func recipes() []corpus.Document {
	kinds := []string{
		"flour yeast water salt oven crust dough rye loaf",
		"tomato basil garlic onion pasta oil cheese pepper oregano",
		"sugar butter egg vanilla cream cocoa berry honey lemon",
	}
	chance := 1
	next := func(n int) int {
		chance = chance * 16807 % 2147483647 // Park & Miller's generator
		return chance % n
	}
	var documents []corpus.Document
	for range 600 {
		words := strings.Fields(kinds[next(3)])
		var items []string
		for range 7 {
			items = append(items, words[next(len(words))])
		}
		documents = append(documents, corpus.Document{Items: items})
	}
	return documents
}

func ExampleSpectrum() {
	ctx := context.Background()
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Options{Pruning: corpus.Pruning{MaxDFRatio: 1, MinDF: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	count, err := choose.Spectrum(ctx, docs, choose.Options{From: 2, To: 12, Model: fit.Options{Seed: 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(count.Topics, count.Basis)
	// Output: 3 gap
}
