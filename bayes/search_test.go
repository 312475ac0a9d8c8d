package bayes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
)

// naiveSearch infers all documents at once, and sorts them.
func naiveSearch(t *testing.T, s *State, d drawn, query *Query) []Hit {
	t.Helper()
	e := newEngine(s)
	e.b.Add(d.docs, 0, d.docs.Documents())
	_ = e.infer(context.Background())
	var hits []Hit
	for i := range d.docs.Documents() {
		at := make([]float64, s.Options.Topics)
		switch {
		case s.Options.Model == CNMF:
			at = e.local(i, 0, 0).u[:s.Options.Latent]
		case d.docs.Offsets[i+1] > d.docs.Offsets[i]:
			e.shares(at, e.local(i, 0, 0))
		}
		items, counts := d.docs.Row(i)
		hits = append(hits, Hit{Document: int64(i), Cosine: Cosine(query.Place, at), Items: slices.Clone(items),
			Counts: slices.Clone(counts)})
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return hits
}

func TestSearchAgainstSort(t *testing.T) {
	d := draw(synth.Model{Items: 90, Topics: 4, Documents: 200, Tokens: 25, Seed: 5})
	d.docs.Offsets = append(d.docs.Offsets, int32(len(d.docs.Items))) // a document without tokens
	d.corpus.Documents++
	for _, model := range Models {
		f := d.fitter(t, Options{Model: model, Topics: 4, BatchSize: 60, Seed: 2}, Plan{InOrder: true, Epochs: 3})
		if err := f.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		const looked = 137
		query, err := QueryOf(t.Context(), f.State, d.pass, looked)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveSearch(t, f.State, d, query)
		for _, count := range []int{0, 1, 7, 400} {
			got, err := Search(t.Context(), f.State, d.pass, query, count)
			if err != nil {
				t.Fatal(err)
			}
			if short := want[:min(count, len(want))]; fmt.Sprintf("%.9v", got) != fmt.Sprintf("%.9v", short) {
				t.Fatalf("%s: the %d nearest are\n%.60v\nwant\n%.60v", model, count, got, short)
			}
		}
		if best := want[0]; best.Document != looked || math.Abs(best.Cosine-1) > 1e-9 {
			t.Errorf("%s: document %d is nearest to %d, with cosine %v", model, best.Document, looked, best.Cosine)
		}
	}
}

// TestQueryOfItems holds the query of some items against that of a document with the same items.
func TestQueryOfItems(t *testing.T) {
	d := draw(synth.Model{Items: 90, Topics: 4, Documents: 100, Tokens: 25, Seed: 5})
	s := NewState(Options{Model: LDA, Topics: 4}, d.corpus)
	one := func(_ context.Context, fn func(*corpus.Documents) error) error {
		return fn(&corpus.Documents{Offsets: []int32{0, 3}, Items: []int32{4, 9, 60}, Counts: []int32{1, 1, 1}})
	}
	want, err := QueryOf(t.Context(), s, one, 0)
	if err != nil {
		t.Fatal(err)
	}
	given := []int32{60, 4, 9, 60}
	got, err := QueryOfItems(t.Context(), s, given)
	if err != nil || !reflect.DeepEqual(got, want) || given[0] != 60 {
		t.Errorf("query %v, want %v; items are now %v; %v", got, want, given, err)
	}
	for _, document := range []int64{1, -1} {
		if _, err := QueryOf(t.Context(), s, one, document); err == nil {
			t.Errorf("document %d: %v", document, err)
		}
	}
	failure := errors.New("unreadable")
	failing := func(context.Context, func(*corpus.Documents) error) error { return failure }
	if _, err := QueryOf(t.Context(), s, failing, 0); !errors.Is(err, failure) {
		t.Errorf("the pass failed, and the error is %v", err)
	}
	if _, err := Search(t.Context(), s, failing, want, 3); !errors.Is(err, failure) {
		t.Errorf("the pass failed, and the error is %v", err)
	}
}
