// This file implements the last stage: from a rectified factor to topics.

package fit

import (
	"cmp"
	"context"
	"errors"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/thinning"
)

// Fitted is a fitted model in memory, with everything that the fit found. Save writes it; model.Load reads back what
// most uses need. What the Model says of whole documents is that of the topics after Overview only.
type Fitted struct {
	*model.Model
	Topics *anchor.Topics // of thinned documents; variational inference finds no anchors

	described bool // the Model is that of the topics
	reported  bool // SaveTo writes a report
	run       *Run
	levelsTo  *model.Output // that has the coarser levels
	memory    *memoryModel  // of the run; nil if it began with a loaded result
	begun     *begun
	relevance float64 // λ of the prominent items

	// wished is, for each of Manifest.Wishes.Topics, the topic whose corner it made, −1 for none; nil unless a fit
	// respected wishes
	wished      []int
	hidden      map[int]bool // items that no list shows
	anchorSizes []float64    // of topics that were steered without evidence, 0 where they are not known
}

// newFitted returns a fit whose topics are not found yet.
func newFitted(m *model.Model, run *Run) *Fitted { return &Fitted{Model: m, run: run} }

// Loaded returns the model that Load would read, but in double precision. B takes as much memory as the mixtures;
// everything else is shared with f.
func (f *Fitted) Loaded() *model.Model {
	m := *f.Overview()
	m.Renew()
	m.Items = matrix.Like(f.Topics.Mixtures)
	kernel.Each(f.run.Workers, m.Items.Blocks(), func(b int) {
		_, first, last := m.Items.Block(b)
		for i := first; i < last; i++ {
			m.Row(m.Items.Row(i), i)
		}
	})
	return &m
}

// Overview returns the model of the topics, without B: Items is nil. Where several ranks share the topics, it works
// once they are saved, on any of them, and each rank has the mixtures of its items.
func (f *Fitted) Overview() *model.Model {
	if f.Topics.Mixtures.Whole() || !f.described {
		_ = f.describe(context.Background()) // it fails only if the context does
	}
	return f.Model
}

// describe makes the Model that of the topics. Of several ranks all call it.
func (f *Fitted) describe(ctx context.Context) error {
	m, t := f.Model, f.Topics
	thinned, whole := f.probabilities(), f.thinning(ctx)
	m.Probability, m.WeightedProbability = whole.Items(thinned), thinned
	m.Reliability, m.Mixtures, m.Shares, m.TopicJoint = t.Reliability, t.Mixtures, whole.Shares(t.Prior),
		whole.Joint(t.TopicJoint)
	m.Anchors, m.Pivots, m.Margins = t.Anchors, t.Pivots, t.Margins
	m.TopicIDs, m.TopicNames = m.Manifest.IDs(t.K), m.Manifest.TopicNames
	m.Row = func(dst []float64, i int) {
		t.BRow(dst, i)
		whole.Row(dst, i)
	}
	prominent, err := t.Prominent(ctx, f.ranked(thinned), f.relevance, model.TopItems)
	if err != nil {
		return err
	}
	m.Prominent = whole.Prominent(prominent)
	sizes := f.effectiveSampleSizes()
	m.AnchorSampleSizes = nil
	for k, i := range t.Anchors {
		size := sizes[i]
		if f.anchorSizes != nil && f.Evidence == nil { // known better than by the item
			size = cmp.Or(f.anchorSizes[k], size)
		}
		m.AnchorSampleSizes = append(m.AnchorSampleSizes, size)
	}
	f.described = true
	m.Renew()
	return ctx.Err()
}

// Save writes the model as a directory at path, which may be a URL of an object store. The directory appears complete
// or not at all. The error wraps model.ErrExists if path exists.
func (f *Fitted) Save(ctx context.Context, path string) error {
	out, err := f.run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	return f.SaveTo(out)
}

// SaveTo writes the model into a directory that model.Create began, with its report if Extras ask for one, and
// completes it.
func (f *Fitted) SaveTo(out *model.Output) error {
	if f.levelsTo != nil && f.levelsTo != out {
		return errors.New("model: a model of several levels is saved into the output that has its coarser ones")
	}
	f.settleWishes()
	if err := f.describe(out.Context()); err != nil {
		return err
	}
	if f.reported {
		if err := f.report(out); err != nil {
			return err
		}
	}
	return f.run.save(f.Model, out)
}

// Anchor finds the anchors and topics of a rectified factor. The result takes over the factor. The error is an
// *anchor.RankError if there are fewer topics than asked for, an *anchor.ItemError, or that of ctx. A caller may make a
// Rectified of any factor. The characteristic items are those of the factor; Fit counts them in the documents.
func (r *Rectified) Anchor(ctx context.Context, opts Options) (*Fitted, error) {
	return r.anchor(ctx, nil, opts)
}

// anchor is Anchor, with the documents where they can be read again, else nil.
func (r *Rectified) anchor(ctx context.Context, docs *corpus.Corpus, opts Options) (*Fitted, error) {
	r.run = orNew(r.run) // of a factor that a caller made
	if r.run.kept.past(anchored) {
		from := r.run.kept.from
		r.run.kept.from = snapshot{} // so that its memory can be used up
		f := newFitted(from.model(r.Vocabulary), r.run)
		f.Topics, f.memory, f.begun, f.relevance = from.topics, r.memory, r.begun, from.relevance
		f.wish(r, opts.Wishes)
		return f, nil
	}
	opts.Run = r.run
	opts = opts.prepared()
	method := opts.Method.entry()
	if r.dense != nil && method.inference != "aw" {
		panic("model: only AW finds topics in a dense C")
	}
	defer r.run.Stage("anchor")()
	topics, err := method.infer(ctx, r, r.anchorOptions(&opts))
	if err != nil {
		return nil, err
	}
	r.run.found("rows_corrected", topics.Stats.Correction.Rows, "rows_of_negative_sum", topics.Stats.Correction.Negative)
	if r.memory != nil {
		r.memory.corrected = topics.Stats.Correction.Rows
		r.run.model(r.memory.stages())
	}
	found := *r.Model
	f := newFitted(&found, r.run)
	f.Topics, f.memory, f.begun = topics, r.memory, r.begun
	f.wish(r, opts.Wishes)
	if err := f.note(ctx, method, &opts); err != nil {
		return nil, err
	}
	if err := f.characterize(ctx, docs, opts.Anchor.WholeRow); err != nil {
		return nil, err
	}
	f.shareWeightless(ctx)
	if opts.NoCertificate {
		return f, nil
	}
	f.Manifest.Certificate = new(model.Certificate)
	f.Certify(f.thinning(ctx).Shares(f.Topics.Prior), false)
	return f, ctx.Err()
}

// thinning returns the conversion of the topics. Processes that share them call it together.
func (f *Fitted) thinning(ctx context.Context) *thinning.Thinning {
	return thinning.New(ctx, f.Topics.Mixtures.Layout(), f.Marginals.Weights, f.Topics.K, f.Topics.BRow)
}

// shareWeightless gives items without weight p(topic) of whole documents in place of that of thinned ones.
func (f *Fitted) shareWeightless(ctx context.Context) {
	t := f.Topics
	if f.Marginals.Weights == nil || t.Stats.Weightless == 0 {
		return
	}
	shares := f.thinning(ctx).Shares(t.Prior)
	first, last := t.Mixtures.HeldRows()
	for i := first; i < last; i++ {
		if t.RowSums[i] == 0 {
			copy(t.Mixtures.Row(i), shares)
		}
	}
}

func (r *Rectified) anchorOptions(opts *Options) anchor.Options {
	o := anchor.Options{Topics: r.Manifest.Sketch.Topics, RowSums: opts.Anchor.RowSums, MinDF: opts.Anchor.MinDF,
		DocumentFrequency: r.Marginals.DocumentFrequency, Workers: r.run.Workers, Name: r.Vocabulary.ID,
		Polish: !opts.Anchor.NoPolish}
	if r.run.Progress != nil {
		o.Progress = func(stage anchor.Stage, done, total int) { r.run.Progress(string(stage), int64(done), int64(total)) }
	}
	if r.Factor != nil {
		o.Topics = r.Factor.Cols()
	}
	if w := opts.Wishes; w != nil {
		o.Fixed, _ = r.fixed(w)
		o.Banned = r.known(w.BannedAnchors)
	}
	if r.Evidence != nil && !opts.Anchor.NoEvidence {
		o.SamplingVariance = r.Evidence.SamplingVariance
	}
	return o
}

// note records the topics, and how they were found.
func (f *Fitted) note(ctx context.Context, m *method, opts *Options) error {
	f.Manifest.Kind = model.KindModel
	rowSums := "factor"
	if opts.Anchor.RowSums == anchor.RowSumsExact {
		rowSums = "exact"
	}
	f.relevance = opts.Anchor.Relevance
	if f.relevance == 0 {
		f.relevance = usualRelevance(f.Marginals.Weights)
	}
	f.Manifest.Anchor = &model.AnchorRecord{Method: m.inference, RowSums: rowSums, AnchorMinDF: opts.Anchor.MinDF,
		Evidence: f.Topics.Reliability != nil, Polish: !opts.Anchor.NoPolish && m.inference == "law",
		Unpolished: f.Topics.Stats.Unpolished.Rows(), Relevance: f.relevance,
		LargestKKT: f.Topics.Stats.Solver.WorstResidual}
	if err := f.noteFindings(ctx); err != nil {
		return err
	}
	if u := f.Topics.Stats.Unpolished; u.Rows() > 0 {
		f.run.log().Warn("rows were not polished", "topics_without_items", u.Topics, "correlation_rows", u.JointRows,
			"condition", u.Condition)
	}
	f.run.found("topics", f.Topics.K, "largest_pivot", f.Topics.Pivots[0], "smallest_pivot", f.Topics.Pivots[f.Topics.K-1])
	return nil
}

// usualRelevance is the λ of the prominent items of topics that were not refined for reading.
func usualRelevance(weights []float64) float64 {
	if weights != nil {
		return 1
	}
	return 0.6
}

// noteFindings records what is doubtful about the topics. The error is that of ctx.
func (f *Fitted) noteFindings(ctx context.Context) (err error) {
	f.Manifest.Anchor.Findings, err = f.Topics.Findings(ctx, f.effectiveSampleSizes(), f.probabilities(), f.relevance,
		model.TopItems)
	return err
}

// probabilities returns p(item) in thinned documents: the mean over documents, from which the topics were found, or
// that over tokens, if they were refined for prediction.
func (f *Fitted) probabilities() []float64 {
	if r := f.Manifest.Refine; r != nil && r.For == refine.ForPrediction {
		return f.Topics.RowSums
	}
	return f.Marginals.Probabilities()
}

// effectiveSampleSizes returns the number of documents that each item's row rests on: the effective sample size if the
// evidence was measured, otherwise df.
func (f *Fitted) effectiveSampleSizes() []float64 {
	if f.Evidence != nil {
		return f.Evidence.EffectiveSampleSize
	}
	sizes := make([]float64, len(f.Marginals.DocumentFrequency))
	for i, df := range f.Marginals.DocumentFrequency {
		sizes[i] = float64(df)
	}
	return sizes
}

// Continue compares the model with an earlier one, and gives topics that continue one of its topics that topic's id.
// The others get new ids, which no topic has had before and which are not below used; so ids name the same topic in all
// generations. Save then writes the ids into the manifest, and drift.parquet, which says what became of the topics.
// Call it when the topics are final, before Save. Beside the fit it holds then, and what Model.Compare takes. The error
// is that of ctx.
func (f *Fitted) Continue(ctx context.Context, then *model.Model, used int) (*drift.Drift, error) {
	defer f.run.Stage("compare")()
	f.Manifest.TopicIDs, f.Manifest.NextTopicID = nil, 0
	found, err := f.Overview().Compare(ctx, then, drift.Options{Workers: f.run.Workers, Continues: f.continued(then)})
	if err != nil {
		return nil, err
	}
	ids, next := found.CarryOn(max(then.Manifest.NextID(then.Topics()), used))
	f.Manifest.SetIDs(ids, next)
	f.settleWishes()
	f.Drift = found
	s := found.Summary
	f.run.found("topics", s.TopicsNow, "kept", s.Kept, "born", s.Born, "died", s.Died, "split", s.Split, "merged",
		s.Merged, "mean_distance", s.MeanDistance, "largest_distance", s.LargestDistance)
	return found, nil
}
