package fit

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/internal/synth"
	"anchorage/model"
)

// A topic whose corner the documents have no more gets that of the first item of its fallback that they have.
func TestWishFallsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, path, "w%d", synth.Model{Items: 200, Topics: 4, Documents: 2000, Tokens: 30,
		Concentration: 0.1, Seed: 4})
	docs := openCorpus(t, 0, nil, path)
	opts := Options{Topics: 4, Seed: 1, Refine: RefineOptions{Passes: NoRefinement}}
	plain, err := Fit(context.Background(), docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	other := pure(t, plain)
	opts.Wishes = &model.Wishes{Topics: []model.TopicWish{{ID: 0, Pinned: true, Corner: []string{"gone"},
		Fallback: []string{"gone too", other}}}}
	f, err := Fit(context.Background(), docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Vocabulary.ID(f.Topics.Anchors[0]); got != other {
		t.Errorf("the corner is %s, not %s", got, other)
	}
	opts.Wishes.Topics[0].Fallback = nil
	if f, err = Fit(context.Background(), docs, opts); err != nil || slices.Contains(f.wished, 0) {
		t.Errorf("a topic without any item of its corner has one: %v, %v", f.wished, err)
	}
}

// pure returns an item that belongs to one topic and is no anchor.
func pure(t *testing.T, f *Fitted) string {
	t.Helper()
	for i := range f.Topics.Mixtures.Rows() {
		if row := f.Topics.Mixtures.Row(i); slices.Max(row) > 0.9 && !slices.Contains(f.Topics.Anchors, i) {
			return f.Vocabulary.ID(i)
		}
	}
	t.Fatal("no item belongs to one topic")
	return ""
}
