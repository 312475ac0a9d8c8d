// Package items measures recommendations on held-out baskets, against other methods.
package items

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model/fit"
	"anchorage/model/items"
	"anchorage/stream"
)

//go:embed page.md
var page string

// Part holds baskets out, learns topics, pairs and weights from the other documents, and completes the held-out baskets
// by every method. Half of each basket is held out, and in a second test one item.
var Part = &run.Part{
	Name: "items", Title: "Recommendations",
	About: "Measure recommendations on held-out baskets",
	Settings: []run.Setting{
		{Name: "corpus", Default: "drawn", Help: "drawn, or folders of the data"},
		{Name: "seed", Default: "1", Help: "seeds of divisions into documents to learn from and baskets to test"},
		{Name: "topics", Default: "100", Help: "topics, K"},
		{Name: "neighbours", Default: fmt.Sprint(items.DefaultNeighbours), Help: "neighbours of an item"},
		{Name: "baskets", Default: "3000", Help: "baskets held out"},
		{Name: "learning", Default: "2000", Help: "baskets that weights are learned on"},
		{Name: "dimensions", Default: "100", Help: "of PureSVD"},
		{Name: "ease-items", Default: "2000", Help: "items, the most frequent ones, that EASE takes"},
		{Name: "ease-lambda", Default: "200.0", Help: "of EASE"},
		{Name: "items", Default: "20000", Help: "items of drawn baskets"},
		{Name: "documents", Default: "60000", Help: "drawn baskets"},
		{Name: "data", Default: "data", Help: "folder of the corpora", How: true},
		{Name: "python", Default: "", Help: "interpreter for NMF of scikit-learn; none if empty", How: true},
	},
	Keys:    []string{"corpus", "flags", "seed"},
	Measure: measure,
	Page:    page,
	Quick:   "--items 300 --documents 900 --topics 3 --ease-items 50 --dimensions 5 --baskets 50 --learning 50",
}

// The names of variants of ours: the one that is measured, and the beginning of all.
const (
	ours    = "pairs and topics, learned"
	variant = "pairs"
	// fewNeighbours is a number of neighbours that saves memory, to see what that costs.
	fewNeighbours = 50
)

// open opens the documents, with all of their items.
func open(ctx context.Context, j *run.Job) (*corpus.Corpus, error) {
	opts := corpus.Options{NoPrune: true, MinItems: 2, Workers: j.Workers, MinTokens: 1}
	if j.Text("corpus") == "drawn" {
		m := synth.Model{Items: j.Int("items"), Documents: j.Int("documents"), Topics: j.Int("topics"), Workers: j.Workers}
		if err := m.Check(); err != nil {
			return nil, err
		}
		drawn := m.Plant()
		return corpus.FromSeq(ctx, documents.Named(ctx, drawn.Pass, drawn.Vocabulary()), opts)
	}
	shards, err := documents.Shards(ctx, filepath.Join(j.Text("data"), j.Text("corpus")))
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, opts)
}

// trial is a division of the documents, and what was learned from one part.
type trial struct {
	learning *corpus.Corpus
	topics   *items.Topics
	few, own *items.Recommender // with few neighbours, and with as many as asked for; both with default weights
	learned  *items.Learned
	full     *items.Pairs
}

func measure(ctx context.Context, j *run.Job) (err error) {
	docs, err := open(ctx, j)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	sample, err := items.Draw(ctx, docs.Pass, j.Int("baskets"), items.DefaultMaxItems, j.Seed("seed"))
	if err != nil {
		return err
	}
	t := new(trial)
	t.learning, err = corpus.FromSeq(ctx, documents.Named(ctx, sample.Without(docs.Pass), docs.Vocabulary),
		corpus.Options{Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, MinItems: 2, Workers: j.Workers, MinTokens: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.learning.Close()) }()
	if err := t.learn(ctx, j); err != nil {
		return err
	}
	sample.Renumber(func(i int32) (int32, bool) {
		return t.learning.Vocabulary.Lookup([]byte(docs.Vocabulary.ID(int(i))))
	})
	methods, err := t.methods(ctx, j)
	if err != nil {
		return err
	}
	for _, split := range []items.Split{items.HeldOutHalf, items.LeaveOneOut} {
		baskets := slices.DeleteFunc(sample.Divide(split, j.Seed("seed")),
			func(b items.Basket) bool { return len(b.Given) == 0 || len(b.Held) == 0 })
		if err := t.score(ctx, j, split, methods, baskets); err != nil {
			return err
		}
	}
	return nil
}

// learn finds topics, counts neighbours and learns the weights on baskets of the same documents.
func (t *trial) learn(ctx context.Context, j *run.Job) error {
	begin, seed := time.Now(), j.Seed("seed")
	fitted, err := fit.Fit(ctx, t.learning, fit.Options{Topics: j.Int("topics"), Seed: seed,
		Run: &fit.Run{Workers: j.Workers, Log: slog.New(slog.DiscardHandler)}})
	if err != nil {
		return fmt.Errorf("fitting topics: %w", err)
	}
	m := fitted.Loaded()
	t.topics = items.NewTopics(m.Mixtures, m.Items, m.TopicJoint)
	j.Row("items_kept", t.learning.Vocabulary.Len(), "documents_kept", fitted.Manifest.Corpus.Documents, "fit_seconds",
		time.Since(begin))
	count := func(neighbours int) (*items.Pairs, error) {
		return items.Count(ctx, t.learning.Pass, t.learning.Vocabulary.Len(), items.Options{Neighbours: neighbours,
			Workers: j.Workers})
	}
	begin = time.Now()
	own, err := count(j.Int("neighbours"))
	if err != nil {
		return err
	}
	t.own = items.NewRecommender(own, t.topics, items.DefaultWeights)
	sample, err := items.Draw(ctx, t.learning.Pass, j.Int("learning"), items.DefaultMaxItems, seed)
	if err != nil {
		return err
	}
	if t.learned, err = t.own.Learn(ctx, sample, items.LearnOptions{Seed: seed, Seen: true,
		Workers: j.Workers}); err != nil {
		return err
	}
	w, l := t.learned.Weights, t.learned
	j.Row("learn_seconds", time.Since(begin), "learning_baskets", l.Baskets, "shrink", w.Shrink, "certainty", w.Certainty,
		"peculiar", w.Peculiar, "rarity", w.Rarity,
		"topics_weight", w.Topics, "prior", w.Prior, "blend", w.Blend, "before", l.Before, "after", l.After, "trials",
		l.Trials)
	few, err := count(fewNeighbours)
	if err != nil {
		return err
	}
	t.few = items.NewRecommender(few, t.topics, w)
	t.full, err = count(items.All)
	return err
}

// methods returns all methods: the others, and variants of ours.
func (t *trial) methods(ctx context.Context, j *run.Job) ([]items.Method, error) {
	methods, err := items.Baselines(ctx, t.full, t.topics, items.CompareOptions{Seed: j.Seed("seed"), Workers: j.Workers,
		Dimensions: j.Int("dimensions"),
		EASEItems:  j.Int("ease-items"), Lambda: j.Float("ease-lambda")})
	if err != nil {
		return nil, err
	}
	learned := t.learned.Weights
	pairsOnly := learned
	pairsOnly.Topics, pairsOnly.Blend = 0, 0.0001
	return append(methods,
		t.own.Method(variant+" and topics, default weights"),
		t.own.With(pairsOnly).Method(variant+" only, learned weights"),
		t.few.Method(fmt.Sprintf("%s, %d neighbours", ours, fewNeighbours)),
		items.NewRecommender(t.full, t.topics, learned).Method(ours+", all neighbours"),
		t.own.With(learned).Method(ours)), nil
}

// score scores all methods on baskets.
func (t *trial) score(ctx context.Context, j *run.Job, split items.Split, methods []items.Method,
	baskets []items.Basket) error {
	if j.Text("python") != "" {
		others, err := t.others(ctx, j, baskets)
		if err != nil {
			return err
		}
		methods = append(others, methods...)
	}
	scores, err := items.Evaluate(ctx, methods, baskets, t.full.Counts, t.full.Documents, j.Workers)
	if err != nil {
		return err
	}
	for _, s := range scores {
		kind := "other"
		if strings.HasPrefix(s.Name, variant) {
			kind = "variant"
		}
		if s.Name == ours {
			kind = "ours"
		}
		pairs := []any{"split", split.String(), "method", s.Name, "kind", kind, "baskets", s.Baskets, "recall_20", s.Recall20,
			"recall_20_error", s.Error20,
			"rarer_20", s.Rarer20, "rarer_20_error", s.ErrorR, "recall_50", s.Recall50, "recall_50_error", s.Error50, "ndcg_100",
			s.NDCG100,
			"ndcg_100_error", s.ErrorN, "coverage_20", s.Coverage, "novelty_20", s.Novelty}
		for d, share := range s.ByDecile {
			pairs = append(pairs, fmt.Sprintf("recall_20_decile_%d", d+1), share)
		}
		j.Add("scores", pairs...)
	}
	return nil
}

// others has scikit-learn's NMF complete the baskets. A method of these knows only the given items that it was asked
// about.
func (t *trial) others(ctx context.Context, j *run.Job, baskets []items.Basket) (methods []items.Method, err error) {
	folder, err := os.MkdirTemp(j.Scratch, "documents-")
	if err != nil {
		return nil, err
	}
	if _, _, err := systems.Write(ctx, t.learning, folder); err != nil {
		return nil, err
	}
	var lines strings.Builder
	for _, b := range baskets {
		fmt.Fprintln(&lines, strings.Trim(fmt.Sprint(b.Given), "[]"))
	}
	if err := os.WriteFile(filepath.Join(folder, "given.txt"), []byte(lines.String()), 0o644); err != nil {
		return nil, err
	}
	table, err := systems.Script(ctx, j, "items.py", folder, j.Int("topics"), t.learning.Vocabulary.Len())
	for _, of := range table.By("method") {
		best := make(map[string][]int)
		for _, row := range of.Rows {
			var basket, item int
			fmt.Sscan(row["basket"], &basket)
			fmt.Sscan(row["item"], &item)
			given := fmt.Sprint(baskets[basket].Given)
			best[given] = append(best[given], item)
		}
		methods = append(methods, items.Method{Name: of.Rows[0]["method"], New: func() items.Scorer {
			return func(dst []float64, given []int32) {
				clear(dst)
				for rank, item := range best[fmt.Sprint(given)] {
					dst[item] = max(dst[item], 1/float64(rank+1))
				}
			}
		}})
	}
	return methods, err
}
