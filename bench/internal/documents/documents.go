// Package documents hands documents to other programs and to other corpora, and scores those that were held out.
package documents

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"

	"anchorage/bayes"
	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
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

// Drawn is the name of corpora that are drawn, so that their topics are known.
const Drawn = "drawn"

// LabelsFile is the file of a corpus with the columns item and label; not all have it.
const LabelsFile = "labels.csv"

// Shards finds the shards of a corpus. Its labels are not among them.
func Shards(ctx context.Context, folder string) ([]shard.Shard, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, errors.New("DATA has no such folder")
	}
	var paths []string
	for _, entry := range entries {
		if entry.Name() != LabelsFile && entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	if len(paths) == len(entries) {
		paths = []string{folder} // the folder as a whole knows which of its files belong together
	}
	return shard.Discover(ctx, paths, shard.Options{})
}

// Open opens the documents of a folder.
func Open(ctx context.Context, folder string, limits corpus.Options) (*corpus.Corpus, error) {
	shards, err := Shards(ctx, folder)
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, limits)
}

// OpenDrawn opens a drawn corpus. Every item that occurs counts.
func OpenDrawn(ctx context.Context, of *synth.Drawn, spill string, workers int) (*corpus.Corpus, error) {
	return corpus.FromSeq(ctx, Named(ctx, of.Pass, of.Vocabulary()), corpus.Options{Dir: spill,
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, Workers: workers, MinItems: 1, MinTokens: 1})
}

// Fit fits topics to shards as `anchorage fit` does, and writes the model to a folder that does not exist. Options need
// a Run with a folder for temporary files.
func Fit(ctx context.Context, shards []shard.Shard, path string, limits corpus.Options, o fit.Options) (err error) {
	_, tuned := os.LookupEnv("GOGC")
	o.Run.OwnsProcess, o.Run.TunesCollector = true, !tuned
	out, err := o.Run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	end := o.Run.Stage("read")
	defer end()
	docs, err := stream.Open(ctx, shards, limits)
	if err != nil {
		return err
	}
	end()
	defer func() { err = errors.Join(err, docs.Close()) }()
	fitted, err := fit.Fit(ctx, docs, o)
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}

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
