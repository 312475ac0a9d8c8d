// Package documents hands documents to other programs and to other corpora, and scores those that were held out.
package documents

import (
	"context"
	"errors"
	"iter"
	"math"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/matrix"
)

// errStop ends a pass whose caller has enough.
var errStop = errors.New("enough")

// Named yields the documents of a pass with the ids of their items, as corpus.FromSeq takes them. The counts of a
// document are valid until the next one.
func Named(ctx context.Context, pass corpus.Pass, vocabulary *corpus.Vocabulary) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		err := pass(ctx, func(docs *corpus.Documents) error {
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				named := corpus.Document{Items: make([]string, len(items)), Counts: counts}
				for i, item := range items {
					named.Items[i] = vocabulary.ID(int(item))
				}
				if !yield(named, nil) {
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

// Pass is the pass over documents in memory.
func Pass(docs *corpus.Documents) corpus.Pass {
	return func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(docs) }
}

// First returns the first n documents of a pass, or all if there are no more.
func First(ctx context.Context, pass corpus.Pass, n int) (*corpus.Documents, error) {
	first := &corpus.Documents{Offsets: []int32{0}}
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			if first.Documents() == n {
				return errStop
			}
			first.Append(docs.Row(d))
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return first, err
}

// least is the probability of a token to which the topics give less.
const least = 1e-12

// Score says how likely held-out tokens are.
type Score struct {
	LogLikelihood float64 // mean of ln p(token), with p at least 1e-12; NaN without tokens
	Impossible    float64 // share of tokens with a smaller p
	Tokens        int64
}

// Predict infers documents from their test tokens, and scores the held ones by the topics B, N×K.
func Predict(b *matrix.Tall, t *infer.Inferrer, test, held *corpus.Documents) Score {
	w, mixture, sum, tokens, impossible := t.Worker(), make([]float32, t.Topics()), 0.0, int64(0), int64(0)
	for d := range test.Documents() {
		items, counts := held.Row(d)
		if len(items) == 0 {
			continue
		}
		known, times := test.Row(d)
		w.Infer(mixture, known, times)
		for i, item := range items {
			p := 0.0
			for k, v := range b.Row(int(item)) {
				p += v * float64(mixture[k])
			}
			if p < least {
				p = least
				impossible += int64(counts[i])
			}
			sum += float64(counts[i]) * math.Log(p)
			tokens += int64(counts[i])
		}
	}
	return Score{sum / float64(tokens), float64(impossible) / float64(tokens), tokens}
}
