// This file divides the documents of a corpus into those to learn from and those to test.

package refining

import (
	"context"
	"errors"
	"fmt"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
	"anchorage/svi"
)

// every tenth document is held out.
const every = 10

// division is a corpus in two.
type division struct {
	learning   *corpus.Corpus    // with the limits of its kind
	test, held *corpus.Documents // two thirds of the tokens of the other documents, and the third that is scored
}

// divide reads a corpus and holds documents out. The caller must close what there is to learn from.
func divide(ctx context.Context, path string, seed uint64, workers int) (*division, error) {
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		return nil, err
	}
	whole, err := stream.Open(ctx, shards, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2, Workers: workers})
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	others := &corpus.Documents{Offsets: []int32{0}}
	learning, err := corpus.FromSeq(ctx, documents.Named(ctx, learned(whole.Pass, others), whole.Vocabulary), corpus.Options{Workers: workers, MinItems: corpus.ByKind, MinTokens: corpus.ByKind,
		Pruning: corpus.Pruning{MinDF: corpus.ByKind, MaxDFRatio: corpus.ByKind}})
	if err != nil {
		return nil, err
	}
	test, held := svi.Split(renumbered(others, whole.Vocabulary, learning.Vocabulary), seed)
	if held.Entries() == 0 {
		return nil, errors.Join(fmt.Errorf("no held-out document has two tokens of the items: there are %d documents", whole.Account.DocumentsRead), learning.Close())
	}
	return &division{learning, test, held}, nil
}

// learned is a pass over the documents to learn from. It puts the others into held.
func learned(pass corpus.Pass, held *corpus.Documents) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		number := 0
		return pass(ctx, func(docs *corpus.Documents) error {
			var rest corpus.Documents
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				if number++; number%every == 0 {
					held.Append(items, counts)
				} else {
					rest.Append(items, counts)
				}
			}
			return fn(&rest)
		})
	}
}

// renumbered returns documents with the numbers of another vocabulary, without items that it does not have.
func renumbered(docs *corpus.Documents, from, to *corpus.Vocabulary) *corpus.Documents {
	result := &corpus.Documents{Offsets: []int32{0}}
	var known, times []int32
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		known, times = known[:0], times[:0]
		for i, item := range items {
			if number, ok := to.Lookup([]byte(from.ID(int(item)))); ok {
				known, times = append(known, number), append(times, counts[i])
			}
		}
		result.Append(known, times)
	}
	return result
}
