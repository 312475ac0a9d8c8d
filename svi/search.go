// This file finds documents by where a model places them.

package svi

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
	Cosine   float64 // of the angle between its place and the one looked for
	Items    []int32 // what it holds: items, and how often each comes
	Counts   []int32
}

// NoDocumentError says that a pass has no document of some number.
type NoDocumentError struct{ Document int64 }

func (e *NoDocumentError) Error() string { return fmt.Sprintf("there is no document %d", e.Document) }

// errFound ends a pass early.
var errFound = errors.New("found")

// PlaceOf returns where the model places the given document of a pass, from 0: its location u with correlated NMF, m values, else the
// topics' shares of it, K values. It reads no further than the batch with the document. The error is a *NoDocumentError if the
// pass has no such document.
func PlaceOf(ctx context.Context, s *State, pass corpus.Pass, document int64) ([]float64, error) {
	var place []float64
	err := Infer(ctx, s, pass, func(found *Inferred) error {
		d := document - found.First
		if d < 0 || d >= int64(found.Documents) {
			return nil
		}
		place = slices.Clone(found.Place(int(d)))
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	if place == nil {
		return nil, &NoDocumentError{document}
	}
	return place, nil
}

// PlaceOfItems returns where the model places a document that holds each of some items once; see PlaceOf. Items may come in
// any order and more than once.
func PlaceOfItems(ctx context.Context, s *State, items []int32) ([]float64, error) {
	sorted := slices.Clone(items)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	one := &corpus.Documents{Offsets: []int32{0, int32(len(sorted))}, Items: sorted, Counts: slices.Repeat([]int32{1}, len(sorted))}
	return PlaceOf(ctx, s, func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(one) }, 0)
}

// Search returns the count documents of a pass whose places have the greatest cosine with the given one, in decreasing order and of
// equal ones the first document first. A document without tokens lies nowhere with bnmf and lda, and its cosine is 0. Only the
// documents found are held.
func Search(ctx context.Context, s *State, pass corpus.Pass, place []float64, count int) ([]Hit, error) {
	e := newEngine(s)
	best := toplist.New(count)
	kept := map[int]Hit{} // the documents in best, as of the last batch
	err := e.inferAll(ctx, pass, func(found *Inferred) error {
		for d := range found.Documents {
			best.Offer(int(found.First)+d, Cosine(place, found.Place(d)))
		}
		still := make(map[int]Hit, count)
		for _, entry := range best.Sorted() {
			hit, known := kept[entry.Item]
			if !known {
				hit = Hit{Document: int64(entry.Item), Cosine: entry.Score}
				hit.Items, hit.Counts = e.b.row32(entry.Item - int(found.First))
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

// Place returns what documents are compared by, of document d of these: its location with correlated NMF, else its shares. It
// aliases f.
func (f *Inferred) Place(d int) []float64 {
	if f.Locations != nil {
		m := len(f.Locations) / f.Documents
		return f.Locations[d*m:][:m]
	}
	k := len(f.Shares) / f.Documents
	return f.Shares[d*k:][:k]
}
