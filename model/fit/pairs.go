// This file counts which items occur together, and learns the weights of recommendations.

package fit

import (
	"context"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/items"
)

// RecommendOptions say how pairs are counted and weights learned.
type RecommendOptions struct {
	Count items.Options // a run with a memory limit sets its Bytes
	// Baskets is the number of baskets to learn the weights on; 0 keeps items.DefaultWeights.
	Baskets int
	Seed    uint64
	// RarerShare is that of items.LearnOptions.
	RarerShare float64
	Run        *Run
}

// DefaultLearnBaskets is a good number of baskets to learn weights on: with fewer, chance moves them.
const DefaultLearnBaskets = 2000

// countPairs counts the pairs of a corpus for a model with default weights.
func countPairs(ctx context.Context, docs *corpus.Corpus, opts RecommendOptions) (*model.Recommendation, error) {
	run := orNew(opts.Run)
	defer run.Stage("pairs")()
	opts.Count.Workers, opts.Count.Log = run.Workers, run.log()
	if run.MemoryLimit > 0 {
		opts.Count.Bytes = max(run.MemoryLimit/4, 1)
	}
	pairs, err := items.Count(ctx, docs.Pass, docs.Vocabulary.Len(), opts.Count)
	if err != nil {
		return nil, err
	}
	if opts.Count.Neighbours == 0 {
		opts.Count.Neighbours = items.DefaultNeighbours
	}
	if opts.Count.MaxItems == 0 {
		opts.Count.MaxItems = items.DefaultMaxItems
	}
	return &model.Recommendation{Record: model.RecommendRecord{VocabularySHA256: docs.Vocabulary.Fingerprint(),
		Documents: pairs.Documents, Neighbours: opts.Count.Neighbours,
		Rows: int64(len(pairs.Others)), MaxItems: opts.Count.MaxItems, Long: pairs.Long, Weights: items.DefaultWeights},
		Pairs: pairs}, nil
}

// Learn counts the pairs of a corpus, whose vocabulary must be that of a model, and with Baskets learns the weights of
// the score on baskets of the same documents. Each of these is scored as if it had not been counted. The model itself
// does not change; model.SaveRecommendation stores the result beside it.
func Learn(ctx context.Context, m *model.Model, docs *corpus.Corpus,
	opts RecommendOptions) (*model.Recommendation, error) {
	if docs.Vocabulary.Fingerprint() != m.Vocabulary.Fingerprint() {
		panic("model: the corpus has another vocabulary than the model")
	}
	r, err := countPairs(ctx, docs, opts)
	if err != nil || opts.Baskets == 0 {
		return r, err
	}
	run := orNew(opts.Run)
	defer run.Stage("learn")()
	sample, err := items.Draw(ctx, docs.Pass, opts.Baskets, r.Record.MaxItems, opts.Seed)
	if err != nil {
		return nil, err
	}
	recommender := items.NewRecommender(r.Pairs, m.ItemTopics(), items.DefaultWeights)
	learned, err := recommender.Learn(ctx, sample, items.LearnOptions{Seed: opts.Seed, Seen: true,
		RarerShare: opts.RarerShare, Workers: run.Workers})
	if err != nil {
		return nil, err
	}
	run.log().Info("weights learned", "baskets", learned.Baskets, "trials", learned.Trials, "before", learned.Before,
		"after", learned.After)
	r.Record.Weights, r.Record.Learned = learned.Weights, learned
	return r, nil
}
