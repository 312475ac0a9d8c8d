// This file divides the documents of a corpus into those to learn from and those to test.

package documents

import (
	"context"
	"errors"
	"fmt"

	"anchorage/bayes"
	"anchorage/corpus"
)

// Every tenth document is held out by Divide.
const Every = 10

// Division is a corpus in two.
type Division struct {
	Learning   *corpus.Corpus    // with the limits of its kind
	Others     *corpus.Documents // the held-out documents, with the items of Learning only
	Test, Held *corpus.Documents // two thirds of their tokens, and the third that is scored
}

// Divide holds documents of a corpus out. Limits say what is learned from. The caller must close what there is to learn
// from; the corpus itself is no longer needed.
func Divide(ctx context.Context, whole *corpus.Corpus, limits corpus.Options, seed uint64) (*Division, error) {
	others := &corpus.Documents{Offsets: []int32{0}}
	learning, err := corpus.FromSeq(ctx, Named(ctx, learned(whole.Pass, others), whole.Vocabulary), limits)
	if err != nil {
		return nil, err
	}
	others = renumbered(others, whole.Vocabulary, learning.Vocabulary)
	test, held := bayes.Split(others, seed)
	if held.Entries() == 0 {
		return nil, errors.Join(fmt.Errorf("no held-out document has two tokens of the items: there are %d documents",
			whole.Account.DocumentsRead), learning.Close())
	}
	return &Division{learning, others, test, held}, nil
}

// learned is a pass over the documents to learn from. It puts the others into held.
func learned(pass corpus.Pass, held *corpus.Documents) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		number := 0
		return pass(ctx, func(docs *corpus.Documents) error {
			var rest corpus.Documents
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				if number++; number%Every == 0 {
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
