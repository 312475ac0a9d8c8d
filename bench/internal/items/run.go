// Package items measures recommendations on held-out baskets, against other methods.
package items

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/items"
	"anchorage/shard"
	"anchorage/stream"
)

// Options say what is measured.
type Options struct {
	Shards     []string     // documents; none for Drawn
	Drawn      *synth.Model // drawn baskets, if there are no shards
	Name       string       // of the corpus
	Topics     int          // K
	Neighbours int          // n
	Baskets    int          // held out for the test
	Learning   int          // baskets that weights are learned on
	Seeds      int          // divisions into documents to learn from and baskets to test
	Seed       uint64       // the first
	MinDF      int64        // of the items
	Compare    items.CompareOptions
	Peers      string // folder for the first seed's division, for other programs; none if empty
	Workers    int
	Log        *slog.Logger
}

// Record is a method's score with one seed and one way to divide baskets.
type Record struct {
	Seed  uint64
	Split items.Split
	items.Score
}

// Result is what was measured.
type Result struct {
	Records   []Record
	Learned   []items.Learned // of each seed
	Items     int             // N, of the first seed
	Documents int64           // to learn from
}

// Run measures.
func (o *Options) Run(ctx context.Context) (*Result, error) {
	docs, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	defer docs.Close()
	result := &Result{}
	for s := range o.Seeds {
		if err := o.trial(ctx, docs, o.Seed+uint64(s), result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// open opens the documents, with all of their items.
func (o *Options) open(ctx context.Context) (*corpus.Corpus, error) {
	opts := corpus.Options{NoPrune: true, MinItems: 2, Workers: o.Workers}
	if len(o.Shards) == 0 {
		return openDrawn(ctx, *o.Drawn, opts)
	}
	shards, err := shard.Discover(ctx, o.Shards, shard.Options{})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, opts)
}

// openDrawn draws the documents.
func openDrawn(ctx context.Context, drawn synth.Model, opts corpus.Options) (*corpus.Corpus, error) {
	made := drawn.Plant()
	vocabulary := made.Vocabulary()
	return corpus.FromSeq(ctx, documents.Named(ctx, made.Pass, vocabulary), opts)
}

// trial holds baskets out, learns from the rest, and scores all methods.
func (o *Options) trial(ctx context.Context, docs *corpus.Corpus, seed uint64, result *Result) error {
	sample, err := items.Draw(ctx, docs.Pass, o.Baskets, items.DefaultMaxItems, seed)
	if err != nil {
		return err
	}
	pass := sample.Without(docs.Pass)
	learning, err := corpus.FromSeq(ctx, documents.Named(ctx, pass, docs.Vocabulary),
		corpus.Options{Pruning: corpus.Pruning{MinDF: o.MinDF, MaxDFRatio: 1}, MinItems: 2, Workers: o.Workers})
	if err != nil {
		return err
	}
	defer learning.Close()
	begin := time.Now()
	topics, err := o.fit(ctx, learning, seed)
	if err != nil {
		return fmt.Errorf("fitting topics: %w", err)
	}
	fitted := time.Now()
	recommender, learned, err := o.learn(ctx, learning, topics, seed)
	if err != nil {
		return err
	}
	o.Log.Info("learned", "corpus", o.Name, "seed", seed, "fit_seconds", fitted.Sub(begin).Seconds(), "learn_seconds", time.Since(fitted).Seconds(),
		"weights", learned.Weights, "before", learned.Before, "after", learned.After)
	result.Learned = append(result.Learned, *learned)
	sample.Renumber(func(i int32) (int32, bool) { return learning.Vocabulary.Lookup([]byte(docs.Vocabulary.ID(int(i)))) })
	return o.score(ctx, learning, sample, recommender, topics, seed, result)
}

// fit finds the topics.
func (o *Options) fit(ctx context.Context, learning *corpus.Corpus, seed uint64) (*items.Topics, error) {
	fitted, err := model.Fit(ctx, learning, model.Options{Topics: o.Topics, Seed: seed, Run: &model.Run{Workers: o.Workers, Log: slog.New(slog.DiscardHandler)}})
	if err != nil {
		return nil, err
	}
	m := fitted.Loaded()
	return items.NewTopics(m.Mixtures, m.Items, m.TopicJoint), nil
}

// learn counts neighbours and learns the weights on baskets of the same documents.
func (o *Options) learn(ctx context.Context, learning *corpus.Corpus, topics *items.Topics, seed uint64) (*items.Recommender, *items.Learned, error) {
	pairs, err := items.Count(ctx, learning.Pass, learning.Vocabulary.Len(), items.Options{Neighbours: o.Neighbours, Workers: o.Workers})
	if err != nil {
		return nil, nil, err
	}
	recommender := items.NewRecommender(pairs, topics, items.DefaultWeights)
	sample, err := items.Draw(ctx, learning.Pass, o.Learning, items.DefaultMaxItems, seed)
	if err != nil {
		return nil, nil, err
	}
	learned, err := recommender.Learn(ctx, sample, items.LearnOptions{Seed: seed, Seen: true, Workers: o.Workers})
	return recommender, learned, err
}

// score scores all methods on the test's baskets.
func (o *Options) score(ctx context.Context, learning *corpus.Corpus, sample *items.Sample, recommender *items.Recommender, topics *items.Topics,
	seed uint64, result *Result) error {
	full, err := items.Count(ctx, learning.Pass, learning.Vocabulary.Len(), items.Options{Neighbours: items.All, Workers: o.Workers})
	if err != nil {
		return err
	}
	if result.Items == 0 {
		result.Items, result.Documents = full.Items(), full.Documents
	}
	compare := o.Compare
	compare.Seed, compare.Workers = seed, o.Workers
	methods, err := items.Baselines(ctx, full, topics, compare)
	if err != nil {
		return err
	}
	learned := result.Learned[len(result.Learned)-1].Weights
	few, err := items.Count(ctx, learning.Pass, learning.Vocabulary.Len(), items.Options{Neighbours: fewNeighbours, Workers: o.Workers})
	if err != nil {
		return err
	}
	pairsOnly, wholeCounts := learned, items.NewRecommender(full, topics, learned)
	pairsOnly.Topics, pairsOnly.Blend = 0, 0.0001
	methods = append(methods,
		recommender.Method("pairs and topics, default weights"),
		recommender.With(pairsOnly).Method("pairs alone, learned weights"),
		items.NewRecommender(few, topics, learned).Method(fmt.Sprintf("pairs and topics, learned, %d neighbours", fewNeighbours)),
		wholeCounts.Method("pairs and topics, learned, all neighbours"),
		recommender.With(learned).Method(ours))
	for _, split := range []items.Split{items.HeldOutHalf, items.LeaveOneOut} {
		baskets := slices.DeleteFunc(sample.Divide(split, seed), func(b items.Basket) bool { return len(b.Given) == 0 || len(b.Held) == 0 })
		if o.Peers != "" && seed == o.Seed && split == items.HeldOutHalf {
			if err := writePeers(ctx, o.Peers, learning, baskets, full.Counts); err != nil {
				return err
			}
		}
		scores, err := items.Evaluate(ctx, methods, baskets, full.Counts, full.Documents, o.Workers)
		if err != nil {
			return err
		}
		for _, s := range scores {
			o.Log.Info("scored", "seed", seed, "split", split, "method", s.Name, "recall_20", s.Recall20, "rarer", s.Rarer20, "ndcg_100", s.NDCG100)
			result.Records = append(result.Records, Record{seed, split, s})
		}
	}
	return nil
}

// fewNeighbours is a number of neighbours that saves memory, to see what that costs.
const fewNeighbours = 50

// ours is the name of the method that is measured.
const ours = "pairs and topics, learned"
