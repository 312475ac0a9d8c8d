// This file measures how well substitutes are found.

package fit_test

import (
	"cmp"
	"context"
	"iter"
	"os"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// BenchmarkHalves makes substitutes: each of some items is split in two halves, of which every document has one in
// turn. It reports how often the items most like one half have the other half in first place, and among the first ten.
// The corpus is $ANCHORAGE_DATA, or that of testdata.
func BenchmarkHalves(b *testing.B) {
	path, topics, split := os.Getenv("ANCHORAGE_DATA"), 100, 1500
	if path == "" {
		path, topics, split = "../../testdata/wiki", 20, 100
	}
	ctx := b.Context()
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		b.Fatal(err)
	}
	whole, err := stream.Open(ctx, shards, corpus.Options{Pruning: corpus.Pruning{MinDF: 2, MaxDFRatio: 0.5},
		MinItems: 3, MinTokens: 5})
	if err != nil {
		b.Fatal(err)
	}
	defer whole.Close()
	chosen := halved(b, whole, split)
	docs, err := corpus.FromSeq(ctx, inHalves(ctx, whole, chosen), corpus.Everything())
	if err != nil {
		b.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: topics, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	if fitted.Recommendation, err = fit.Learn(ctx, fitted.Model, docs, fit.RecommendOptions{}); err != nil {
		b.Fatal(err)
	}
	m := fitted.Loaded()
	plain := *m
	plain.Recommendation = nil
	plain.Renew()
	for by, m := range map[string]*model.Model{"profile": &plain, "both": m} {
		b.Run(by, func(b *testing.B) {
			first, ten, asked := 0.0, 0.0, 0.0
			for b.Loop() {
				for item := range chosen {
					id := whole.Vocabulary.ID(int(item))
					found, err := m.Similar(ctx, id, 10)
					if err != nil {
						b.Fatal(err)
					}
					asked++
					switch slices.IndexFunc(found, func(n model.Neighbour) bool { return n.ID == id+secondHalf }) {
					case -1:
					case 0:
						first++
						ten++
					default:
						ten++
					}
				}
			}
			b.ReportMetric(first/asked, "first")
			b.ReportMetric(ten/asked, "first-ten")
		})
	}
}

// secondHalf ends the id of an item's second half. No item of a corpus has it, since it has a line break.
const secondHalf = "\n2"

// halved chooses about count items in at least ten documents, evenly by rank of frequency.
func halved(b *testing.B, docs *corpus.Corpus, count int) map[int32]bool {
	marginals, _, err := fit.Count(b.Context(), docs, docs.Pass)
	if err != nil {
		b.Fatal(err)
	}
	var order []int32
	for i, df := range marginals.DocumentFrequency {
		if df >= 10 {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		return cmp.Compare(marginals.DocumentFrequency[j], marginals.DocumentFrequency[i])
	})
	chosen := make(map[int32]bool)
	for at := 0; at < count && len(order) > 0; at++ {
		chosen[order[at*len(order)/count]] = false
	}
	return chosen
}

// inHalves yields the documents with the chosen items split. The values of chosen say whether the next document gets
// the second half.
func inHalves(ctx context.Context, docs *corpus.Corpus, chosen map[int32]bool) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		stopped := false
		err := docs.Pass(ctx, func(batch *corpus.Documents) error {
			for d := range batch.Documents() {
				items, counts := batch.Row(d)
				document := corpus.Document{Counts: counts}
				for _, item := range items {
					id := docs.Vocabulary.ID(int(item))
					if second, split := chosen[item]; split {
						chosen[item] = !second
						if second {
							id += secondHalf
						}
					}
					document.Items = append(document.Items, id)
				}
				if stopped = !yield(document, nil); stopped {
					return context.Canceled
				}
			}
			return nil
		})
		if err != nil && !stopped {
			yield(corpus.Document{}, err)
		}
	}
}
