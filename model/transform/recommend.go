// This file writes recommendations for documents and for items.

package transform

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"anchorage/internal/kernel"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/items"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// RecommendationsKind is the kind of a directory of recommendations, in its _manifest.json.
const RecommendationsKind = "anchorage/recommendations"

// RecommendOptions say what is recommended.
type RecommendOptions struct {
	Options // TimeColumn orders the documents of an id, so that repeats can be measured
	Aim     items.Aim
	Number  int  // items for a document, at most
	Repeat  bool // also items that the document has
	Folded  bool // also for items that shaped no topics; see Neighbours
}

// Recommended says what was written.
type Recommended struct {
	Documents int64 `json:"documents"`
	Without   int64 `json:"without"` // documents for which nothing is known
	Rows      int64 `json:"rows"`
	// Repeats is the share of the items of later documents of an id that an earlier one has, Later how many such items
	// there are; 0 without TimeColumn.
	Repeats float64 `json:"repeats"`
	Later   int64   `json:"later"`
}

// recommending makes tables of recommendations.
type recommending struct {
	*run
	RecommendOptions
	m       *model.Model
	by      *items.Recommender
	said    Recommended
	history history
	queries sync.Pool            // of *items.Query
	found   [][]items.Suggestion // of the documents of a batch
}

// newRecommending prepares the recommender of a model.
func newRecommending(ctx context.Context, m *model.Model, o RecommendOptions) (*recommending, error) {
	by, record, err := m.Recommender(ctx)
	if err != nil {
		return nil, err
	}
	setting := by.Setting()
	if record != nil {
		setting = record.Setting(o.Aim)
	}
	by = by.With(setting) // the model's own may have queries
	if err := by.Prepare(ctx, o.Workers); err != nil {
		return nil, err
	}
	r := &recommending{run: &run{ctx: ctx, stage: "recommending", o: o.Options, vocabulary: m.Vocabulary},
		RecommendOptions: o, m: m, by: by, history: history{ids: map[uint64][]visit{}}}
	r.queries.New = func() any { return by.NewQuery() }
	return r, nil
}

// Recommend writes the best items for every document of shards into a directory at path, a table for each shard:
// part-00000.parquet and so on, with a row for each recommendation in the order of the documents; and _manifest.json.
// The columns are doc_id, rank (from 0), item, score, probability, because_1 and because_2, the items of the document
// that speak most for it, empty if there are none, and topic, −1 if none does; and item_name, if items have names.
// Errors are those of Write.
func Recommend(ctx context.Context, m *model.Model, shards []shard.Shard, path string,
	o RecommendOptions) (*Recommended, error) {
	r, err := newRecommending(ctx, m, o)
	if err != nil {
		return nil, err
	}
	dir, err := output.Begin(ctx, path, RecommendationsKind, o.Replace, o.Warn)
	if err != nil {
		return nil, err
	}
	defer dir.Abort()
	for i, s := range shards {
		name := fmt.Sprintf("part-%05d.parquet", i)
		if err := dir.WriteFile(name, func(w io.Writer) error { return r.shard(s, w) }); err != nil {
			return nil, err
		}
	}
	if r.record.Known == 0 && r.record.Unknown > 0 {
		return nil, noneKnown(shards)
	}
	r.said.Repeats, r.said.Later = r.history.repeats()
	if err := output.List(dir, RecommendationsKind); err != nil {
		return nil, err
	}
	return &r.said, dir.Commit()
}

// Neighbours writes the best items for every item of a model, as Recommend does for documents; the first column is
// item_id. With Folded, those for items that shaped no topics follow, by their topics, and a last column, folded, is 1
// for them and 0 for the others.
func Neighbours(ctx context.Context, m *model.Model, w io.Writer, o RecommendOptions) (*Recommended, error) {
	r, err := newRecommending(ctx, m, o)
	if err != nil {
		return nil, err
	}
	fields := r.fields("item_id")
	if o.Folded {
		fields = append(fields, tablefile.Field{Name: "folded", Type: tablefile.Int32})
	}
	out, err := tablefile.NewWriter(w, fields)
	if err != nil {
		return nil, err
	}
	const batch = 8192 // items
	var ids []string
	for first := 0; first < m.Vocabulary.Len(); first += batch {
		ids = ids[:0]
		for i := first; i < min(first+batch, m.Vocabulary.Len()); i++ {
			ids = append(ids, m.Vocabulary.ID(i))
		}
		err := r.write(out, ids, nil, func(x int, basket []int32) []int32 { return append(basket, int32(first+x)) })
		if err != nil {
			return nil, err
		}
	}
	if o.Folded {
		if err := m.EachFolded(ctx, func(ids []string, mixtures []float32) error {
			return r.write(out, ids, mixtures, nil)
		}); err != nil {
			return nil, err
		}
	}
	return &r.said, out.Close()
}

func (r *recommending) fields(id string) []tablefile.Field {
	fields := []tablefile.Field{{Name: id, Type: tablefile.String}, {Name: "rank", Type: tablefile.Int32},
		{Name: "item", Type: tablefile.String}, {Name: "score", Type: tablefile.Float32},
		{Name: "probability", Type: tablefile.Float32}, {Name: "because_1", Type: tablefile.String},
		{Name: "because_2", Type: tablefile.String}, {Name: "topic", Type: tablefile.Int32}}
	if r.m.Vocabulary.Names != nil {
		fields = append(fields, tablefile.Field{Name: "item_name", Type: tablefile.String})
	}
	return fields
}

// shard writes the table of one shard.
func (r *recommending) shard(s shard.Shard, w io.Writer) error {
	out, err := tablefile.NewWriter(w, r.fields(columnID))
	if err != nil {
		return err
	}
	names := &table{base: filepath.Base(s.Path)}
	err = r.batches(s, func(b *batch) error {
		names.name(&b.Batch)
		for _, i := range b.index {
			if i >= 0 {
				r.record.Known++
			} else {
				r.record.Unknown++
			}
		}
		for d, time := range b.times {
			r.history.add(names.ids[d], time, b.index[b.Offsets[d]:b.Offsets[d+1]])
		}
		return r.write(out, names.ids, nil, func(d int, basket []int32) []int32 {
			for _, i := range b.index[b.Offsets[d]:b.Offsets[d+1]] {
				if i >= 0 {
					basket = append(basket, i)
				}
			}
			return basket
		})
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// write writes the recommendations for some baskets: basketOf appends basket x to a slice. Of items that shaped no
// topics there are mixtures instead, K values for each.
func (r *recommending) write(out *tablefile.Writer, ids []string, mixtures []float32,
	basketOf func(x int, basket []int32) []int32) error {
	r.found = slices.Grow(r.found[:0], len(ids))[:len(ids)]
	err := kernel.Parallel(r.ctx, r.o.Workers, (len(ids)+block-1)/block, func(i int) error {
		q := r.queries.Get().(*items.Query)
		defer r.queries.Put(q)
		var basket []int32
		for x := i * block; x < min((i+1)*block, len(ids)); x++ {
			if mixtures != nil {
				mixture := make([]float64, r.m.Topics())
				for k := range mixture {
					mixture[k] = float64(mixtures[x*len(mixture)+k])
				}
				r.found[x] = append(r.found[x][:0], r.by.Suggest(nil, [][]float64{mixture}, r.Number)...)
				continue
			}
			basket = basketOf(x, basket[:0])
			r.found[x] = q.Suggest(r.found[x][:0], basket, r.Number, r.Repeat)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var id, item, first, second, names []string
	var rank, topic []int32
	var score, probability []float32
	name := func(i int32) string {
		if i < 0 {
			return ""
		}
		return r.m.Vocabulary.ID(int(i))
	}
	for x, found := range r.found {
		for at, s := range found {
			id, rank, item = append(id, ids[x]), append(rank, int32(at)), append(item, name(int32(s.Item)))
			score, probability = append(score, float32(s.Score)), append(probability, float32(s.Probability))
			first, second, topic = append(first, name(s.Because[0])), append(second, name(s.Because[1])),
				append(topic, int32(s.Topic))
			names = append(names, r.m.Name(s.Item))
		}
		if len(found) == 0 {
			r.said.Without++
		}
		r.said.Rows += int64(len(found))
	}
	r.said.Documents += int64(len(ids))
	columns := []any{id, rank, item, score, probability, first, second, topic}
	if r.m.Vocabulary.Names != nil {
		columns = append(columns, names)
	}
	if r.Folded {
		folded := int32(0)
		if mixtures != nil {
			folded = 1
		}
		columns = append(columns, slices.Repeat([]int32{folded}, len(id)))
	}
	return out.Write(columns...)
}

// visit is a document of a history.
type visit struct {
	time  int64
	items []int32
}

// history has the documents of ids, to measure how much of later ones was in earlier ones. When it has too many, it
// forgets half of the ids.
type history struct {
	ids     map[uint64][]visit
	entries int
	halved  int
}

// mostHistory bounds the entries of a history.
const mostHistory = 4 << 20

func (h *history) add(id string, time int64, all []int32) {
	sum := fnv.New64a()
	io.WriteString(sum, id)
	key := sum.Sum64()
	if key&(1<<h.halved-1) != 0 || time == NoTime {
		return
	}
	known := slices.DeleteFunc(slices.Clone(all), func(i int32) bool { return i < 0 })
	h.ids[key] = append(h.ids[key], visit{time, known})
	h.entries += len(known)
	if h.entries <= mostHistory || h.halved == 40 {
		return
	}
	h.halved++
	for key, visits := range h.ids {
		if key&(1<<h.halved-1) == 0 {
			continue
		}
		for _, v := range visits {
			h.entries -= len(v.items)
		}
		delete(h.ids, key)
	}
}

// repeats returns the share of items of later documents that an earlier one of the same id has, and how many there are.
func (h *history) repeats() (share float64, later int64) {
	again := int64(0)
	for _, visits := range h.ids {
		slices.SortStableFunc(visits, func(a, b visit) int { return cmp.Compare(a.time, b.time) })
		had := map[int32]bool{}
		for x, v := range visits {
			for _, i := range v.items {
				if x > 0 {
					later++
				}
				if x > 0 && had[i] {
					again++
				}
			}
			for _, i := range v.items {
				had[i] = true
			}
		}
	}
	return float64(again) / float64(max(later, 1)), later
}
