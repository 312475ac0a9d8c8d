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
	"anchorage/internal/process"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/items"
)

//go:embed page.md
var page string

// Part holds baskets out, learns topics, pairs and a setting from the other documents, and completes the held-out
// baskets by every method. Half of each basket is held out, and in a second test one item.
var Part = &run.Part{
	Name: "items", Title: "Recommendations",
	Uses:  run.With("model/items"),
	About: "Measure recommendations on held-out baskets",
	Settings: []run.Setting{
		{Name: "corpus", Default: "drawn", Help: "drawn, viewers or market, which are drawn, or folders of the data"},
		{Name: "mindf", Default: "1", Help: "documents that an item must be in"},
		{Name: "seed", Default: "1", Help: "seeds of divisions into documents to learn from and baskets to test"},
		{Name: "topics", Default: "100", Help: "topics, K"},
		{Name: "neighbours", Default: "0", Help: "neighbours of an item; 0 as learn chooses"},
		{Name: "baskets", Default: "3000", Help: "baskets held out"},
		{Name: "learning", Default: fmt.Sprint(fit.DefaultLearnBaskets), Help: "baskets that a setting is chosen on"},
		{Name: "items", Default: "20000", Help: "items of drawn baskets"},
		{Name: "documents", Default: "60000", Help: "drawn baskets"},
		{Name: "data", Default: "data", Help: "folder of the corpora", How: true},
		{Name: "python", Default: "", Help: "interpreter for EASE, MRF and iALS in NumPy; none if empty", How: true},
	},
	Keys:    []string{"corpus", "flags", "seed"},
	Measure: measure,
	Page:    page,
}

// The beginnings of the names of our methods: the one that is measured, and its variants.
const (
	ours    = "ours"
	variant = "ours, "
)

// open opens the documents, with all of their items.
func open(ctx context.Context, j *run.Job) (*corpus.Corpus, error) {
	opts := corpus.Options{NoPrune: true, MinItems: 2, Workers: j.Workers, MinTokens: 1}
	if families[j.Text("corpus")] != nil {
		return corpus.FromSeq(ctx, drawBaskets(ctx, j.Text("corpus"), j.Int("items"), j.Int("documents")), opts)
	}
	if j.Text("corpus") == "drawn" {
		m := synth.Model{Items: j.Int("items"), Documents: j.Int("documents"), Topics: j.Int("topics"), Workers: j.Workers}
		if err := m.Check(); err != nil {
			return nil, err
		}
		drawn := m.Plant()
		return corpus.FromSeq(ctx, documents.Named(ctx, drawn.Pass, drawn.Vocabulary()), opts)
	}
	return documents.Open(ctx, filepath.Join(j.Text("data"), j.Text("corpus")), opts)
}

// trial is a division of the documents, and what was learned from one part.
type trial struct {
	learning *corpus.Corpus
	record   *model.RecommendRecord
	own      *items.Recommender
	full     *items.Pairs
}

func measure(ctx context.Context, j *run.Job) (err error) {
	docs, err := open(ctx, j)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	sample, err := items.Draw(ctx, docs.Pass, j.Int("baskets"), 1, items.DefaultMaxItems, j.Seed("seed"))
	if err != nil {
		return err
	}
	t := new(trial)
	t.learning, err = corpus.FromSeq(ctx, documents.Named(ctx, sample.Without(docs.Pass), docs.Vocabulary),
		corpus.Options{Pruning: corpus.Pruning{MinDF: int64(j.Int("mindf")), MaxDFRatio: 1}, MinItems: 2, Workers: j.Workers,
			MinTokens: 1})
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
	splits, baskets := []items.Split{items.HeldOutHalf, items.LeaveOneOut}, [][]items.Basket{}
	for _, split := range splits {
		baskets = append(baskets, slices.DeleteFunc(sample.Divide(split, j.Seed("seed")),
			func(b items.Basket) bool { return len(b.Given) == 0 || len(b.Held) == 0 }))
	}
	var methods []items.Method
	if j.Text("python") != "" {
		if methods, err = t.others(ctx, j, slices.Concat(baskets...)); err != nil {
			return err
		}
	}
	methods = slices.Concat(methods, items.Baselines(t.full, t.own.Topics()), t.methods())
	for at, split := range splits {
		if err := t.score(ctx, j, split, methods, baskets[at]); err != nil {
			return err
		}
	}
	return nil
}

// learn finds topics, counts neighbours and chooses a setting on baskets of the same documents.
func (t *trial) learn(ctx context.Context, j *run.Job) error {
	begin, seed := time.Now(), j.Seed("seed")
	quiet := &fit.Run{Workers: j.Workers, Log: slog.New(slog.DiscardHandler)}
	fitted, err := fit.Fit(ctx, t.learning, fit.Options{Topics: j.Int("topics"), Seed: seed, Run: quiet})
	if err != nil {
		return fmt.Errorf("fitting topics: %w", err)
	}
	m := fitted.Loaded()
	j.Row("items_kept", t.learning.Vocabulary.Len(), "documents_kept", fitted.Manifest.Corpus.Documents, "fit_seconds",
		time.Since(begin))
	begin = time.Now()
	cpu := process.CPUSeconds()
	r, err := fit.Learn(ctx, m, t.learning, fit.RecommendOptions{Count: items.Options{Neighbours: j.Int("neighbours")},
		Baskets: j.Int("learning"), Seed: seed, Run: quiet})
	if err != nil {
		return err
	}
	t.record = &r.Record
	t.own = items.NewRecommender(r.Pairs, m.ItemTopics(), r.Record.Setting(items.Balanced))
	j.Row("learn_seconds", time.Since(begin), "learn_cpu_seconds", process.CPUSeconds()-cpu, "learning_baskets",
		r.Record.Validation.Baskets)
	for _, c := range r.Record.Validation.Candidates {
		chosen := ""
		for _, aim := range items.Aims {
			if c.Setting == r.Record.Setting(aim.Name) {
				chosen += string(aim.Name) + " "
			}
		}
		j.Add("candidates", "pairs", c.Pairs, "inverse", c.Inverse, "topics", c.Topics, "peculiar", c.Peculiar,
			"recall_20", c.Recall20, "recall_20_error", c.Error20, "rarer_20", c.Rarer20, "ndcg_100", c.NDCG100, "chosen",
			strings.TrimSpace(chosen))
	}
	t.full, err = items.Count(ctx, t.learning.Pass, t.learning.Vocabulary.Len(), items.Options{Neighbours: items.All,
		Workers: j.Workers})
	return err
}

// methods returns ours by every aim, on a curve from popular to peculiar, and without each of its parts.
func (t *trial) methods() (list []items.Method) {
	add := func(name string, s items.Setting) {
		if s.Check() {
			list = append(list, t.own.With(s).Method(name))
		}
	}
	chosen := t.own.Setting()
	add(ours, chosen)
	add(variant+"for popular", t.record.Setting(items.Popular))
	add(variant+"for rare", t.record.Setting(items.Rare))
	for _, p := range []float64{0, 0.15, 0.3, 0.45, 0.6} {
		s := chosen
		s.Peculiar = p
		add(fmt.Sprintf("%speculiar %g", variant, p), s)
	}
	for part, name := range []string{"counts", "inverse", "topics"} {
		s := chosen
		if share := []*float64{&s.Pairs, &s.Inverse, &s.Topics}[part]; *share > 0 {
			*share = 0
			add(variant+"without "+name, s)
		}
	}
	return list
}

// score scores all methods on baskets.
func (t *trial) score(ctx context.Context, j *run.Job, split items.Split, methods []items.Method,
	baskets []items.Basket) error {
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
			"recall_20_error", s.Error20, "rarer_20", float64(s.Rarer20), "rarer_20_error", float64(s.ErrorR), "recall_50",
			s.Recall50, "recall_50_error", s.Error50, "ndcg_100", s.NDCG100, "ndcg_100_error", s.ErrorN, "coverage_20",
			s.Coverage, "novelty_20", s.Novelty}
		for d, share := range s.ByDecile {
			pairs = append(pairs, fmt.Sprintf("recall_20_decile_%d", d+1), float64(share))
		}
		j.Add("scores", pairs...)
	}
	return nil
}

// others has programs in NumPy complete the baskets. A method of these knows only the given items that it was asked
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
	table, err := systems.Script(ctx, j, "items.py", folder, t.learning.Vocabulary.Len())
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
