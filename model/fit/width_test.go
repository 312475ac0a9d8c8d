package fit

import (
	"context"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/sketch"
)

func TestStreamedColumns(t *testing.T) {
	for topics, want := range map[int][]int{50: {800, 600, 400, 300, 200}, 400: {3200, 2400, 1600}, 2000: {8000}} {
		if got := streamedColumns(topics); !slices.Equal(got, want) {
			t.Errorf("%d topics: %d, want %d", topics, got, want)
		}
	}
}

// The width follows from the limit and the shapes: the more items, the fewer columns, and never from the number of
// workers.
func TestStreamedColumnsWithinLimit(t *testing.T) {
	width := func(items int, limit int64, workers int) int {
		m := modelOf(items, 50, 800, workers, nil)
		m.passes, m.widths = 1, streamedColumns(50)
		m.chooseColumns(func() bool { return sketch.StreamedMatrixBytes(m.items, m.columns) <= streamedBytes })
		if limit > 0 && m.restrict(limit, false) != nil {
			return 0
		}
		return m.columns
	}
	for _, c := range []struct {
		items int
		limit int64
		want  int
	}{
		{100_000, 0, 800}, {650_000, 0, 800}, {680_000, 0, 600}, {1_000_000, 0, 400}, {5_000_000, 0, 200}, // 2 GiB
		{680_000, 4 << 30, 800}, {100_000, 300 << 20, 300}, {100_000, 250 << 20, 200}, {100_000, 100 << 20, 0},
	} {
		for _, workers := range []int{1, 4} {
			if got := width(c.items, c.limit, workers); got != c.want {
				t.Errorf("%d items, limit %d MiB, %d workers: %d columns, want %d", c.items, c.limit>>20, workers, got, c.want)
			}
		}
	}
}

// A vocabulary that grows ends with the columns that it would have been given at once, and a model of one pass has
// evidence.
func TestGrowingVocabularyNarrows(t *testing.T) {
	long.Test(t, "it sketches with 1,600 columns")
	path := writeDocuments(t, 6000, 5)
	fit := func(limit int64, fixed *corpus.Vocabulary) *Sketched {
		docs := openCorpus(t, 1, func(s *corpus.Options) {
			s.NoPrune, s.Vocabulary, s.Workers = fixed == nil,
				fixed, 1
		}, path)
		s, err := Sketch(context.Background(), docs, Options{Topics: 100, Sketch: SketchOptions{Passes: 1,
			ItemWeights: WeightsNone}, Run: &Run{Workers: 1, MemoryLimit: limit}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	wide := fit(0, nil)
	if wide.Manifest.Sketch.Columns != 1600 || wide.Evidence == nil || wide.Manifest.Sketch.Findings == nil {
		t.Errorf("%+v", wide.Manifest.Sketch)
	}
	narrow := fit(processBytes+190<<20, nil)
	if got := narrow.Manifest.Sketch.Columns; got >= 1600 || got < 400 {
		t.Errorf("%d columns within the limit", got)
	}
}
