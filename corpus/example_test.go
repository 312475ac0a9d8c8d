package corpus_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"anchorage/corpus"
)

func ExampleFromDocuments() {
	ctx := context.Background()
	docs, err := corpus.FromDocuments(ctx, []corpus.Document{
		{Items: []string{"bread", "butter", "jam"}},
		{Items: []string{"bread", "cheese"}, Counts: []int32{2, 1}},
		{Items: []string{"butter", "bread", "butter"}},
	}, corpus.Options{Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	err = docs.Pass(ctx, func(batch *corpus.Documents) error {
		for d := range batch.Documents() {
			items, counts := batch.Row(d)
			for j, item := range items {
				fmt.Println("document", d, docs.Vocabulary.ID(int(item)), counts[j])
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(docs.Account.Pruned.MinDF.Items, "items are in too few documents")
	// Output:
	// document 0 bread 1
	// document 0 butter 1
	// document 1 bread 2
	// document 2 bread 1
	// document 2 butter 2
	// 2 items are in too few documents
}

// An iterator may read documents from anywhere. FromSeq ranges over it once.
func ExampleFromSeq() {
	ctx := context.Background()
	lines := strings.SplitSeq("red green\ngreen blue blue\nred blue green", "\n")
	docs, err := corpus.FromSeq(ctx, func(yield func(corpus.Document, error) bool) {
		for line := range lines {
			if !yield(corpus.Document{Items: strings.Fields(line)}, nil) {
				return
			}
		}
	}, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fmt.Println(docs.Account.DocumentsRead, "documents,", docs.Vocabulary.Len(), "items,", docs.Account.Tokens, "tokens")
	// Output:
	// 3 documents, 3 items, 8 tokens
}
