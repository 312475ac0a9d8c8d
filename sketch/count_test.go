package sketch

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
)

// TestCountMarginals holds the counts against those that come with a dense C.
func TestCountMarginals(t *testing.T) {
	docs := &corpus.Documents{
		Items:   []int32{0, 1, 2, 1, 3, 0, 2},
		Counts:  []int32{2, 1, 3, 1, 1, 1, 4},
		Offsets: []int32{0, 3, 3, 4, 6, 7}, // one document is empty, one has a single token
	}
	pass := func(ctx context.Context, fn func(*corpus.Documents) error) error { return fn(docs) }
	const n = 5
	for name, weights := range map[string][]float64{"equal": nil, "weighted": {1, 0.5, 2, 0.25, 1}} {
		c, want, err := Dense(t.Context(), pass, n, weights, 0, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, diagonal, err := CountMarginals(t.Context(), pass, n, weights, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got.Documents != want.Documents || !slices.Equal(got.DocumentFrequency, want.DocumentFrequency) ||
			!slices.Equal(got.TermFrequency, want.TermFrequency) || !slices.Equal(got.RowSums, want.RowSums) ||
			!slices.Equal(got.Diagonal, want.Diagonal) {
			t.Errorf("%s: marginals %+v, want %+v", name, got, want)
		}
		for i, v := range diagonal {
			if math.Abs(v-c.Row(i)[i]) > 1e-15 {
				t.Errorf("%s: C[%d,%d] = %v, want %v", name, i, i, v, c.Row(i)[i])
			}
		}
		if got.Entries() != 6 || got.Tokens() != 12 {
			t.Errorf("%s: %d entries and %d tokens, want 6 and 12", name, got.Entries(), got.Tokens())
		}
	}
	failure := errors.New("no documents today")
	failing := func(context.Context, func(*corpus.Documents) error) error { return failure }
	if _, _, err := CountMarginals(t.Context(), failing, n, nil, 0); err != failure {
		t.Errorf("the error of the pass became %v", err)
	}
}
