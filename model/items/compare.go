// This file lists the methods of a comparison.

package items

import (
	"context"

	"anchorage/corpus"
)

// CompareOptions say what a recommender is compared with. Zero values are the defaults.
type CompareOptions struct {
	Dimensions int     // of PureSVD; 100 if it is 0
	Lambda     float64 // of EASE; 200 if it is 0
	// EASEItems is the greatest number of items that EASE takes, 2,000 if it is 0. A dense matrix of this order is
	// inverted.
	EASEItems int
	Seed      uint64
	Workers   int
}

// Baselines returns the methods that a recommender is compared with: popularity, item-item cosine, PureSVD without and
// with idf, topics (unless they are nil), the mean of c_ij/(c_i+20), half of that and half topics, and EASE. Full
// should have all pairs; from a table of neighbours the methods know only those, and PureSVD and EASE, which need the
// whole matrix, are left out. The error is that of ctx.
func Baselines(ctx context.Context, full *Pairs, topics *Topics, o CompareOptions) ([]Method, error) {
	if o.Dimensions == 0 {
		o.Dimensions = 100
	}
	if o.Lambda == 0 {
		o.Lambda = 200
	}
	if o.EASEItems == 0 {
		o.EASEItems = 2000
	}
	methods := []Method{Popularity(full), Cosine(full)}
	complete := full.Complete()
	for _, idf := range []bool{false, true} {
		if !complete {
			break
		}
		m, err := LowRank(ctx, full, o.Dimensions, idf, o.Seed, o.Workers)
		if err != nil {
			return nil, err
		}
		methods = append(methods, m)
	}
	if topics != nil {
		methods = append(methods, ByTopics(topics))
	}
	methods = append(methods, Conditional(full))
	if topics != nil {
		methods = append(methods, HalfAndHalf(full, topics))
	}
	if !complete {
		return methods, nil
	}
	ease, err := EASE(full, o.Lambda, o.EASEItems)
	return append(methods, ease), err
}

// Without returns a pass over the documents that are not in the sample, which must have been drawn from the same pass.
func (s *Sample) Without(pass corpus.Pass) corpus.Pass {
	in := map[uint64]bool{}
	for _, number := range s.numbers {
		in[number] = true
	}
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		number := uint64(0)
		return pass(ctx, func(docs *corpus.Documents) error {
			var left corpus.Documents
			for m := range docs.Documents() {
				if !in[number] {
					left.Append(docs.Row(m))
				}
				number++
			}
			return fn(&left)
		})
	}
}
