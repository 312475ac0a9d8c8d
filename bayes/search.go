// This file finds the documents that a model places near a query.

package bayes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/toplist"
)

// Hit is a document that was found.
type Hit struct {
	Document int64   // its number in the pass, from 0
	Cosine   float64 // of the angle between its place and that of the query, 0 if one of them lies nowhere
	Items    []int32 // what it holds: items, and how often each comes
	Counts   []int32
}

// Query is what documents are searched for.
type Query struct {
	Items  []int32 // increasing
	Counts []int32 // of each, at least 1
	// where the model places a document of these: its location u with correlated NMF, m values, else its topics' shares, K
	// values
	Place []float64
}

// errFound ends a pass early.
var errFound = errors.New("found")

// QueryOf returns the given document of a pass, from 0, as a query. It reads no further than the batch with the
// document. It is an error if the pass has no such document.
func QueryOf(ctx context.Context, s *State, pass corpus.Pass, document int64) (*Query, error) {
	var query *Query
	e := newEngine(s)
	err := e.inferAll(ctx, pass, func(found *placedBatch) error {
		d := document - found.First
		if d < 0 || d >= int64(found.Documents) {
			return nil
		}
		items, counts := e.b.Row32(int(d))
		query = &Query{Items: items, Counts: counts, Place: slices.Clone(found.place(int(d)))}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	if query == nil {
		return nil, fmt.Errorf("there is no document %d", document)
	}
	return query, nil
}

// QueryOfItems returns a document that holds each of some items once as a query. Items may come in any order and more
// than once.
func QueryOfItems(ctx context.Context, s *State, items []int32) (*Query, error) {
	sorted := slices.Clone(items)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	one := &corpus.Documents{Offsets: []int32{0, int32(len(sorted))}, Items: sorted,
		Counts: slices.Repeat([]int32{1}, len(sorted))}
	return QueryOf(ctx, s, func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(one) }, 0)
}

// Search returns the count documents of a pass that are nearest to a query by their places, and of equal ones the
// first. Documents of the same topics rank alike, whatever they hold. A document without tokens lies nowhere with bnmf
// and lda. Only the documents found are held.
func Search(ctx context.Context, s *State, pass corpus.Pass, query *Query, count int) ([]Hit, error) {
	e := newEngine(s)
	best := toplist.New(count)
	kept := map[int]Hit{} // the documents in best, as of the last batch
	err := e.inferAll(ctx, pass, func(found *placedBatch) error {
		hits := make([]Hit, found.Documents)
		for d := range hits {
			hits[d] = Hit{Document: found.First + int64(d), Cosine: Cosine(query.Place, found.place(d))}
			best.Offer(int(found.First)+d, hits[d].Cosine)
		}
		still := make(map[int]Hit, count)
		for _, entry := range best.Sorted() {
			hit, known := kept[entry.Item]
			if d := entry.Item - int(found.First); !known {
				hit = hits[d]
				hit.Items, hit.Counts = e.b.Row32(d)
			}
			still[entry.Item] = hit
		}
		kept = still
		return nil
	})
	var hits []Hit
	for _, entry := range best.Sorted() {
		hits = append(hits, kept[entry.Item])
	}
	return hits, err
}

// Cosine returns the cosine of the angle between two vectors, 0 where one of them is zero.
func Cosine(a, b []float64) float64 {
	product := math.Sqrt(dot(a, a) * dot(b, b))
	if product == 0 {
		return 0
	}
	return dot(a, b) / product
}
