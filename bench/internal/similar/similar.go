// This file measures how often the items most like one half of an item have the other half among them.

package similar

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/nearest"
	"anchorage/matrix"
	"anchorage/model"
)

// Options say what to measure.
type Options struct {
	Topics  int    // K
	Items   int    // items to split, about
	MinDF   int64  // of the items of the vocabulary
	Least   int64  // documents of each half, at least
	Seed    uint64 // of the fit
	Workers int
	Pairs   bool // compare items by their pairs, too: far slower
}

// near is the number of similar items that are asked for.
const near = 10

// bands are the least numbers of documents of a half; each band goes to the next. The first row of a table is all of them.
var bands = []int64{0, 30, 100, 300}

// Record is what was measured of one corpus with one kind of vectors.
type Record struct {
	Corpus, Vectors string
	Items           int   // N
	Least, Below    int64 // documents of the halves; Below is 0 for no limit
	Queries         int
	First, Ten      float64 // shares of the queries whose other half comes first, and among the first ten
}

// Run measures all vectors on one corpus, a file or folder of shards.
func (o Options) Run(ctx context.Context, path string) ([]Record, error) {
	s, err := newSplitter(ctx, path, o.MinDF, o.Least, o.Items)
	if err != nil {
		return nil, err
	}
	defer s.docs.Close()
	split, err := corpus.FromSeq(ctx, s.split(ctx), corpus.Options{Passes: 6})
	if err != nil {
		return nil, err
	}
	defer split.Close()
	fitted, err := model.Fit(ctx, split, model.Options{Topics: o.Topics, Seed: o.Seed, Run: &model.Run{Workers: o.Workers}})
	if err != nil {
		return nil, err
	}
	if o.Pairs {
		if fitted.Recommendation, err = model.CountPairs(ctx, split, model.RecommendOptions{Run: &model.Run{Workers: o.Workers}}); err != nil {
			return nil, err
		}
	}
	m := fitted.Model()
	var queries [][2]int
	for item := range s.chosen {
		id := s.docs.Vocabulary.ID(int(item))
		first, known := m.Vocabulary.Lookup([]byte(id))
		second, too := m.Vocabulary.Lookup([]byte(id + suffix))
		if known && too {
			queries = append(queries, [2]int{int(first), int(second)}, [2]int{int(second), int(first)})
		}
	}
	var records []Record
	for _, v := range o.kinds() {
		found, err := v.places(ctx, m, queries)
		if err != nil {
			return nil, err
		}
		for band := -1; band < len(bands); band++ {
			r := Record{Corpus: Name(path), Vectors: v.name, Items: m.Vocabulary.Len()}
			if band >= 0 {
				r.Least = bands[band]
				if band+1 < len(bands) {
					r.Below = bands[band+1]
				}
			}
			r.count(m, queries, found)
			records = append(records, r)
		}
	}
	return records, ctx.Err()
}

// Name returns what a corpus is called: the last part of its path, with the folder that a file is in.
func Name(path string) string {
	if filepath.Ext(path) == "" {
		return filepath.Base(path)
	}
	return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}

// search returns the place of the other half among the items most like each query, from 0, or near if it is not among them.
func (o Options) search(ctx context.Context, m *model.Model, t *matrix.Single, queries [][2]int) []int {
	index, places := nearest.New(t), make([]int, len(queries))
	kernel.Parallel(ctx, o.Workers, len(queries), func(q int) error {
		places[q] = near
		for place, e := range index.Search(queries[q][0], near, 1) {
			if e.Item == queries[q][1] {
				places[q] = place
			}
		}
		return nil
	})
	return places
}

// count sets the figures of a band.
func (r *Record) count(m *model.Model, queries [][2]int, places []int) {
	first, ten := 0, 0
	for q, pair := range queries {
		df := min(m.DocumentFrequency[pair[0]], m.DocumentFrequency[pair[1]])
		if df < r.Least || r.Below > 0 && df >= r.Below {
			continue
		}
		r.Queries++
		if places[q] == 0 {
			first++
		}
		if places[q] < near {
			ten++
		}
	}
	r.First, r.Ten = float64(first)/float64(max(r.Queries, 1)), float64(ten)/float64(max(r.Queries, 1))
}

// kind is a way to compare items.
type kind struct {
	name string
	// places returns the place of the other half among the items most like each query, from 0, or near if it is not among them.
	places func(ctx context.Context, m *model.Model, queries [][2]int) ([]int, error)
}

// kinds are the ways to compare items: all vectors, and what needs pairs if that is asked for.
func (o Options) kinds() (list []kind) {
	for _, v := range vectors {
		list = append(list, kind{v.name, func(ctx context.Context, m *model.Model, queries [][2]int) ([]int, error) {
			t, err := v.of(ctx, m)
			if err != nil {
				return nil, err
			}
			return o.search(ctx, m, t, queries), nil
		}})
	}
	if !o.Pairs {
		return list
	}
	for _, by := range []model.Representation{model.ByPairs, model.ByBoth} {
		list = append(list, kind{string(by), func(ctx context.Context, m *model.Model, queries [][2]int) ([]int, error) {
			return o.ask(ctx, m, by, queries)
		}})
	}
	return list
}

// ask asks the model for the items most like each query.
func (o Options) ask(ctx context.Context, m *model.Model, by model.Representation, queries [][2]int) ([]int, error) {
	places := make([]int, len(queries))
	return places, kernel.Parallel(ctx, o.Workers, len(queries), func(q int) error {
		found, err := m.SimilarBy(ctx, by, m.Vocabulary.ID(queries[q][0]), near)
		places[q] = near
		for place, n := range found {
			if n.ID == m.Vocabulary.ID(queries[q][1]) {
				places[q] = place
			}
		}
		return err
	})
}

// vectorKind is a kind of vectors to compare.
type vectorKind struct {
	name string
	of   func(context.Context, *model.Model) (*matrix.Single, error)
}

// vectors are all kinds: those that a model offers, and two that were tried.
var vectors = append(offered(), vectorKind{"factor and mixture", func(ctx context.Context, m *model.Model) (*matrix.Single, error) {
	return beside(ctx, m, model.ByFactor, model.ByMixture)
}}, vectorKind{"profile and mixture", func(ctx context.Context, m *model.Model) (*matrix.Single, error) {
	return beside(ctx, m, model.ByProfile, model.ByMixture)
}})

func offered() (kinds []vectorKind) {
	names, _ := model.Representations()
	for _, by := range names {
		kinds = append(kinds, vectorKind{string(by), func(ctx context.Context, m *model.Model) (*matrix.Single, error) { return m.Vectors(ctx, by) }})
	}
	return kinds
}

// beside returns two kinds of vectors side by side, each scaled to length 1: the cosine is the mean of theirs.
func beside(ctx context.Context, m *model.Model, kinds ...model.Representation) (*matrix.Single, error) {
	var both *matrix.Single
	for at, by := range kinds {
		t, err := m.Vectors(ctx, by)
		if err != nil {
			return nil, err
		}
		n, k := t.Dims()
		if both == nil {
			both = matrix.NewSingle(n, len(kinds)*k)
		}
		for i := range n {
			length := 0.0
			for _, v := range t.Row(i) {
				length += float64(v) * float64(v)
			}
			if length == 0 {
				continue
			}
			for j, v := range t.Row(i) {
				both.Row(i)[at*k+j] = float32(float64(v) / math.Sqrt(length))
			}
		}
	}
	return both, nil
}

// band says which halves a record counts.
func (r *Record) band() string {
	switch {
	case r.Least == 0 && r.Below == 0:
		return "all"
	case r.Below == 0:
		return fmt.Sprintf("%d and more", r.Least)
	case r.Least == 0:
		return fmt.Sprintf("below %d", r.Below)
	}
	return fmt.Sprintf("%d to %d", r.Least, r.Below-1)
}
