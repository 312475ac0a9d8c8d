// This file learns models by variational inference and converts them to the form of all models.

package fit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/anchor"
	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/sketch"
)

// BayesOptions say how a model is learned by variational inference; see bayes.Options and bayes.Plan. Workers is that
// of Run.
type BayesOptions struct {
	bayes.Options
	Plan bayes.Plan
	Extras
	// Run holds the settings of the whole run; nil means a new Run. Working files go to its SpillDir; if that is empty, to
	// the system's folder for temporary files.
	Run *Run
}

// Bayes learns a model from the documents of a corpus by variational inference. If the run is interrupted and leaves a
// checkpoint, the error is an *InterruptedError. Other errors are a *corpus.DataError, an *InputError for a checkpoint
// that cannot be used, or come from the corpus.
func Bayes(ctx context.Context, docs *corpus.Corpus, opts BayesOptions) (*Fitted, error) {
	f, err := opts.infer(ctx, docs)
	if err != nil {
		return nil, err
	}
	return f, f.Add(ctx, docs, opts.Extras)
}

// infer learns the topics.
func (opts BayesOptions) infer(ctx context.Context, docs *corpus.Corpus) (*Fitted, error) {
	run := orNew(opts.Run)
	run.begin()
	opts.Run, opts.Workers = run, run.Workers
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if err := opts.Plan.Check(); err != nil {
		return nil, err
	}
	if err := checkProportion(docs, opts.Topics, run, true); err != nil {
		return nil, err
	}
	end := run.Stage("count")
	defer end()
	marginals, totals, err := Count(ctx, docs, run.watched(docs, "counting"))
	if err != nil {
		return nil, err
	}
	if err := docs.NameItems(ctx); err != nil {
		return nil, err
	}
	entries := marginals.Entries()
	needs := opts.Memory(totals.Items, opts.Plan.Batch, float64(entries)/float64(totals.Documents))
	run.found("documents", totals.Documents, "items", totals.Items, "tokens", totals.Tokens, "memory_bytes", needs)
	end()
	if err := checkBayesMemory(docs, &opts, needs); err != nil {
		return nil, err
	}
	if totals.Items < opts.Topics {
		return nil, tooFewItems(opts.Topics, totals.Items)
	}
	defer run.Stage("infer")()
	source := bayes.Source{Pass: docs.Pass, Dir: run.SpillDir}
	if opts.Plan.Random() {
		if source.Shuffled, err = bayes.Shuffle(ctx, docs.Pass, entries, run.SpillDir, opts.Seed); err != nil {
			return nil, err
		}
		defer source.Shuffled.Close()
	}
	fitter, err := bayes.NewFitter(bayes.NewState(opts.Options, totals), opts.Plan, source)
	if err != nil {
		return nil, err
	}
	defer fitter.Close()
	if err := opts.fit(ctx, fitter, docs); err != nil {
		return nil, err
	}
	f := newFitted(&model.Model{Manifest: model.Manifest{Inputs: docs.Inputs, Skipped: docs.Skipped, Corpus: docs.Account},
		Vocabulary: docs.Vocabulary, Marginals: *marginals}, run)
	f.noteBayes(fitter, &opts)
	return f, nil
}

// checkBayesMemory returns a *MemoryError if the variables, which take the given number of bytes, or the topics that
// are made from them do not fit into the limit of the run.
func checkBayesMemory(docs *corpus.Corpus, o *BayesOptions, variables int64) error {
	limit := cmp.Or(o.Run.MemoryLimit, o.Run.ceiling())
	if limit == 0 {
		return nil
	}
	n, k := docs.Vocabulary.Len(), o.Topics
	size := corpus.Size{Entries: docs.Account.Entries, Documents: docs.Account.DocumentsRead, Workers: o.Workers}
	ids := docs.Vocabulary.Bytes() + docs.ViewBytes() + sketch.MarginalsBytes(n, false)
	held := 8 * int64(n) * int64(aligned.Columns[float64](k)) // g, which the model is made from
	written := model.Saving{}.Bytes(n, k)
	stages := []StageMemory{{"infer", resident(ids + variables + size.PassBytes())},
		{"write", resident(ids + held + anchor.TopicsBytes(n, k) + written)}}
	if slices.ContainsFunc(stages, func(s StageMemory) bool { return s.Bytes > limit }) {
		return &MemoryError{Limit: limit, Machine: o.Run.MemoryLimit == 0, Items: n, Topics: k, Stages: stages}
	}
	return nil
}

// fit runs the fit. It continues from the checkpoint of the run, if that has a state, and keeps its own state there.
func (o *BayesOptions) fit(ctx context.Context, f *bayes.Fitter, docs *corpus.Corpus) error {
	run := o.Run
	if folder := run.Checkpoint.open(); folder != nil {
		decisive := *o
		decisive.Run = nil
		if err := run.know(docs, "bayes fit", decisive); err != nil {
			return err
		}
		chain := folder.Chain("bayes")
		loaded, err := chain.Load()
		if err != nil {
			return damaged(folder.Path(), err)
		}
		ctx = chain.Point("inferring", nil, loaded).In(ctx)
	}
	f.Report = func(p bayes.Progress) error {
		run.progress("inferring", p.Step, p.Steps)
		switch {
		case p.Tested != nil:
			run.log().Debug("held out", "step", p.Step, "documents", p.Tested.Documents, "log_likelihood",
				p.Tested.LogLikelihood, "rho", p.Rho)
		case !math.IsNaN(p.Bound):
			run.log().Debug("iteration", "number", p.Step, "bound", p.Bound)
		}
		return nil
	}
	return run.Checkpoint.Interrupted(f.Run(ctx))
}

// noteBayes records the result of the inference, and converts it to the form of all models: B, B̆, p(topic) and A.
func (m *Fitted) noteBayes(f *bayes.Fitter, opts *BayesOptions) {
	found := f.State
	m.Variational = &model.Variational{State: found, HeldOut: f.Scores, Bounds: f.Bounds}
	k := found.Options.Topics
	m.Topics, m.relevance = BayesTopics(found), 1 // prominent items are the most probable
	m.Manifest.Kind = model.KindModel
	m.Manifest.Sketch = model.SketchRecord{Topics: k, Seed: found.Options.Seed, ItemWeights: string(WeightsNone)}
	r := &model.BayesRecord{Options: found.Options, Plan: f.Plan, Steps: found.Step, Documents: found.Seen}
	figures := []any{"model", r.Model, "topics", r.Topics, "steps", r.Steps, "documents_seen", r.Documents}
	if n := len(f.Scores); n > 0 && f.Scores[n-1].Documents > 0 { // the first is of topics that have learned nothing
		r.HeldOut = &f.Scores[n-1]
		figures = append(figures, "log_likelihood", r.HeldOut.LogLikelihood)
	}
	if n := len(f.Bounds); n > 0 {
		r.Bound = &f.Bounds[n-1]
		figures = append(figures, "bound", *r.Bound)
	}
	m.Manifest.Bayes = r
	m.run.found(figures...)
}

// BayesTopics converts the result of variational inference to the form of all models. B consists of posterior means;
// p(topic) and A come from the documents' topic shares; B̆ and p(item) follow from these. There are no anchors.
func BayesTopics(found *bayes.State) *anchor.Topics {
	k, n := found.Options.Topics, found.Corpus.Items
	t := &anchor.Topics{K: k, Mixtures: matrix.NewTall(n, k), RowSums: make([]float64, n), Prior: make([]float64, k),
		TopicJoint: found.Joint()}
	for a := range k {
		for _, p := range t.TopicJoint[a*k : (a+1)*k] {
			t.Prior[a] += p
		}
	}
	t.Masses = t.Prior
	for v := range n {
		row := t.Mixtures.Row(v)
		found.MeanRow(row, v)
		for a := range row {
			row[a] *= t.Prior[a]
			t.RowSums[v] += row[a]
		}
		if !toSumOne(row) {
			copy(row, t.Prior)
		}
	}
	return t
}

// Count counts documents, items and tokens of a corpus in one pass over it.
func Count(ctx context.Context, c *corpus.Corpus, pass corpus.Pass) (*sketch.Marginals, bayes.Totals, error) {
	m, _, err := sketch.CountMarginals(ctx, pass, c.Vocabulary.Len(), nil, 0)
	if err != nil {
		return nil, bayes.Totals{}, err
	}
	return m, bayes.Totals{Items: c.Vocabulary.Len(), Documents: m.Documents, Tokens: m.Tokens(),
		Key: c.Vocabulary.Key}, nil
}
