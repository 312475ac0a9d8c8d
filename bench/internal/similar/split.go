// This file makes documents with items that stand for one another.

package similar

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// suffix ends the name of an item's second half. No item of a corpus has it, since it has a line break.
const suffix = "\n2"

// splitter splits items in two.
type splitter struct {
	docs   *corpus.Corpus
	chosen map[int32]bool
	second map[int32]bool // whether the next document gets the second half
}

// newSplitter opens shards and chooses about count items to split, of at least 2·least documents, evenly by rank of frequency.
func newSplitter(ctx context.Context, path string, minDF, least int64, count int) (*splitter, error) {
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		return nil, err
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{Pruning: corpus.Pruning{MinDF: minDF, MaxDFRatio: 0.5}, MinItems: 3, MinTokens: 5, Passes: 3})
	if err != nil {
		return nil, err
	}
	marginals, _, err := model.Count(ctx, docs)
	if err != nil {
		return nil, errors.Join(err, docs.Close())
	}
	var order []int32
	for i, df := range marginals.DocumentFrequency {
		if df >= 2*least {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(marginals.DocumentFrequency[b], marginals.DocumentFrequency[a]), cmp.Compare(a, b))
	})
	s := &splitter{docs: docs, chosen: map[int32]bool{}, second: map[int32]bool{}}
	for at := 0; at < count && len(order) > 0; at++ {
		s.chosen[order[at*len(order)/count]] = true
	}
	return s, nil
}

// split returns the documents with the chosen items split. The first error of reading is err.
func (s *splitter) split(ctx context.Context) iter.Seq2[corpus.Document, error] {
	stopped := errors.New("stopped")
	return func(yield func(corpus.Document, error) bool) {
		err := s.docs.Pass(ctx, func(d *corpus.Documents) error {
			for at := range len(d.Offsets) - 1 {
				var document corpus.Document
				for e := d.Offsets[at]; e < d.Offsets[at+1]; e++ {
					item := d.Items[e]
					id := s.docs.Vocabulary.ID(int(item))
					if s.chosen[item] {
						if s.second[item] {
							id += suffix
						}
						s.second[item] = !s.second[item]
					}
					document.Items, document.Counts = append(document.Items, id), append(document.Counts, d.Counts[e])
				}
				if !yield(document, nil) {
					return stopped
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(corpus.Document{}, err)
		}
	}
}
