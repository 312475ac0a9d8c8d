// This file divides the documents of a corpus into those to learn from and those to test.

package refining

import (
	"context"
	"errors"
	"fmt"
	"iter"

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
	learning, err := corpus.FromSeq(ctx, learned(ctx, whole, others), corpus.Options{Workers: workers, MinItems: corpus.ByKind, MinTokens: corpus.ByKind,
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

// errStop ends a pass whose caller has enough.
var errStop = errors.New("enough")

// learned yields the documents to learn from, and puts the others into held.
func learned(ctx context.Context, whole *corpus.Corpus, held *corpus.Documents) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		number := 0
		err := whole.Pass(ctx, func(docs *corpus.Documents) error {
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				if number++; number%every == 0 {
					held.Append(items, counts)
					continue
				}
				document := corpus.Document{Items: make([]string, len(items)), Counts: counts}
				for i, item := range items {
					document.Items[i] = whole.Vocabulary.ID(int(item))
				}
				if !yield(document, nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(corpus.Document{}, err)
		}
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
