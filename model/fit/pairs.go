// This file counts which items occur together, and chooses how a model recommends.

package fit

import (
	"cmp"
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/items"
)

// RecommendOptions say how pairs are counted and a setting is chosen.
type RecommendOptions struct {
	// Count says how pairs are counted; a run with a memory limit sets its Bytes. If its Neighbours are 0, all pairs of at
	// most items.CompleteItems items are kept, and items.DefaultNeighbours of each item otherwise.
	Count items.Options
	// Baskets is the number of baskets on which a setting is chosen, at most a tenth of the documents; 0 keeps
	// items.DefaultSetting.
	Baskets int
	Seed    uint64
	Run     *Run
}

// DefaultLearnBaskets is a good number of baskets to choose a setting on: the error of recall is then a hundredth.
const DefaultLearnBaskets = 10_000

// countPairs counts the pairs of a pass over a corpus for a model, with the default setting.
func countPairs(ctx context.Context, docs *corpus.Corpus, pass corpus.Pass,
	opts *RecommendOptions) (*model.Recommendation, error) {
	run := orNew(opts.Run)
	defer run.Stage("pairs")()
	count := opts.Count
	count.Workers, count.Log = run.Workers, run.log()
	if run.MemoryLimit > 0 {
		count.Bytes = max(run.MemoryLimit/4, 1)
	}
	if count.Neighbours == 0 {
		if count.Neighbours = items.DefaultNeighbours; docs.Vocabulary.Len() <= items.CompleteItems {
			count.Neighbours = items.CompleteItems
		}
	}
	count.MaxItems = cmp.Or(count.MaxItems, items.DefaultMaxItems)
	pairs, err := items.Count(ctx, pass, docs.Vocabulary.Len(), count)
	if err != nil {
		return nil, err
	}
	return &model.Recommendation{Record: model.RecommendRecord{VocabularySHA256: docs.Vocabulary.Fingerprint(),
		Documents: pairs.Documents, Neighbours: count.Neighbours,
		Rows: int64(len(pairs.Others)), MaxItems: count.MaxItems, Long: pairs.Long}, Pairs: pairs}, nil
}

// Learn counts the pairs of a corpus, whose vocabulary must be that of a model. With Baskets it holds some documents
// out, counts the pairs of the others, and chooses a setting for every aim on the held-out ones (items.Validate); then
// it counts the pairs of all. The model itself does not change; model.SaveRecommendation stores the result beside it.
func Learn(ctx context.Context, m *model.Model, docs *corpus.Corpus,
	opts RecommendOptions) (*model.Recommendation, error) {
	if docs.Vocabulary.Fingerprint() != m.Vocabulary.Fingerprint() {
		panic("model: the corpus has another vocabulary than the model")
	}
	run := orNew(opts.Run)
	var validation *items.Validation
	if opts.Baskets > 0 {
		var err error
		if validation, err = validate(ctx, m, docs, &opts); err != nil {
			return nil, err
		}
		run.log().Info("setting chosen", "baskets", validation.Baskets, "setting", validation.Chosen[items.Balanced])
	}
	r, err := countPairs(ctx, docs, docs.Pass, &opts)
	if err != nil || validation == nil {
		return r, err
	}
	r.Record.Settings, r.Record.Validation = validation.Chosen, validation
	for _, s := range validation.Chosen {
		if s.Inverse > 0 && r.Pairs.Inverse == nil {
			defer run.Stage("inverse")()
			if err := r.Pairs.Invert(ctx, run.Workers); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// validate chooses settings on documents that it holds out of the counts.
func validate(ctx context.Context, m *model.Model, docs *corpus.Corpus,
	opts *RecommendOptions) (*items.Validation, error) {
	run := orNew(opts.Run)
	const share = 10 // at most one of ten documents
	longest := cmp.Or(opts.Count.MaxItems, items.DefaultMaxItems)
	sample, err := items.Draw(ctx, docs.Pass, opts.Baskets, share, longest, opts.Seed)
	if err != nil {
		return nil, err
	}
	rest, err := countPairs(ctx, docs, sample.Without(docs.Pass), opts)
	if err != nil {
		return nil, err
	}
	defer run.Stage("validate")()
	if err := rest.Pairs.Invert(ctx, run.Workers); err != nil {
		return nil, err
	}
	known, counted := make([]float32, rest.Pairs.Items()), slices.Clone(rest.Pairs.Counts)
	for _, basket := range sample.Baskets {
		for _, i := range basket {
			counted[i]++
		}
	}
	for i, c := range rest.Pairs.Counts {
		known[i] = float32(c) / float32(max(counted[i], 1))
	}
	recommender := items.NewRecommender(rest.Pairs, m.ItemTopics(), items.DefaultSetting)
	return recommender.Validate(ctx, sample.Divide(items.HeldOutHalf, opts.Seed), known, run.Workers)
}
