// This file implements the first stage: from documents to the leading eigenpairs of C.

package fit

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Sketched is the result of the first stage: the leading eigenpairs of C, or C itself for methods that hold it, and the
// marginals and evidence that later stages need. Rectify uses it up.
type Sketched struct {
	*model.Model // without topics; Eigen are K pairs, none if C is held

	run      *Run
	memory   *memoryModel // of the run; nil if the sketch was loaded
	begun    *begun
	multiply rectify.Operator // C·x by a pass over the documents; nil if the sketch was loaded
	dense    *matrix.Tall     // C, N×N; nil if it is not held
}

// Sketch makes passes over the corpus and finds the leading eigenpairs of C. It uses the options of the first stage and
// ignores opts.Method. With Sketch.Tasks and Power it makes the next pass of an iteration over the documents of a task.
// The error is a *MemoryError if the memory limit is too low, a *sketch.RankError if there are fewer eigenpairs than
// topics, or that of the corpus.
func Sketch(ctx context.Context, docs *corpus.Corpus, opts Options) (*Sketched, error) {
	opts = opts.prepared()
	opts.Method = LRJSMF
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if opts.Sketch.Tasks != nil && opts.Sketch.Power {
		return sketchRound(ctx, docs, &opts)
	}
	if opts.Sketch.Passes != 1 { // which leaves nothing to continue from
		if err := opts.Run.keep(docs, &opts, "sketch"); err != nil {
			return nil, err
		}
	}
	s, err := sketchOnly(ctx, docs, &opts, false)
	if err != nil {
		return nil, opts.Run.Checkpoint.Interrupted(err)
	}
	if err := docs.NameItems(ctx); err != nil {
		return nil, err
	}
	opts.Run.kept.reached(sketched, s.snapshot(docs))
	return s, nil
}

// sketchCorpus is Sketch as the first stage of a fit.
func sketchCorpus(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	return sketchOnly(ctx, docs, opts, true)
}

// sketchOnly sketches a corpus. With fit, the memory limit covers the later stages too.
func sketchOnly(ctx context.Context, docs *corpus.Corpus, opts *Options, fit bool) (*Sketched, error) {
	weights, chosen, err := opts.Sketch.ItemWeights.weigh(weighable(docs))
	if err != nil {
		return nil, err
	}
	run := opts.Run
	if err := checkProportion(docs, opts.Topics, run, fit); err != nil {
		return nil, err
	}
	memory := newMemoryModel(docs, opts, fit, weights != nil)
	if !docs.Growing() {
		if err := opts.fitColumns(docs.Vocabulary.Len()); err != nil {
			return nil, err
		}
		if err := memory.plan(run); err != nil {
			return nil, err
		}
	}
	if run.kept.past(eigenpairs) {
		return restoreSketched(ctx, docs, opts, memory, chosen)
	}
	if opts.Sketch.Passes == 1 {
		return sketchStreamed(ctx, docs, opts, memory, weights, chosen)
	}
	begun, err := opts.fitStart(docs)
	if err != nil {
		return nil, err
	}
	return sketchKrylov(ctx, docs, opts, memory, begun, weights, chosen)
}

// sketchKrylov finds the eigenpairs in several passes.
func sketchKrylov(ctx context.Context, docs *corpus.Corpus, opts *Options, memory *memoryModel, begun *begun,
	weights []float64, chosen ItemWeights) (*Sketched, error) {
	run := opts.Run
	end := run.Stage("sketch")
	defer end()
	passOpts := sketch.Options{Columns: opts.columns(), Seed: opts.Seed, Layout: docs.Layout(), Weights: weights,
		PairPrior: opts.Sketch.DocumentWeights.prior(), Workers: run.Workers, Passes: opts.Sketch.Passes,
		Power: opts.Sketch.Power, Start: begun.vectors(opts.columns()), Report: run.pass()}
	if memory.away {
		passOpts.SpillDir = run.SpillDir
	}
	first, err := accumulate(ctx, docs, passOpts, run)
	if err != nil {
		return nil, err
	}
	s := newSketched(docs, first.Marginals, opts, chosen)
	s.memory, s.begun = memory, begun
	if begun != nil {
		s.Manifest.Start = &model.StartRecord{SHA256: begun.SHA256, Generation: begun.Generation, Items: begun.common,
			Vectors: passOpts.Start.Columns}
	}
	found := s.snapshot(docs)
	within := run.kept.within(ctx, krylov, found)
	found.product = first.Product
	run.kept.reached(accumulated, found)
	found = snapshot{}
	eigen, err := first.Krylov(within, run.watched(docs, "sketching"), opts.Topics, passOpts)
	if err != nil {
		return nil, err
	}
	s.take(eigen, opts, passOpts.Columns)
	s.Manifest.Sketch.Power = opts.Sketch.Power
	memory.passes, memory.single = eigen.Passes, eigen.Singles > 0
	run.model(memory.stages())
	run.kept.reached(eigenpairs, s.snapshot(docs))
	end()
	return s, s.measureEvidence(ctx, docs, opts)
}

// accumulate makes the first pass, or takes its result from the checkpoint.
func accumulate(ctx context.Context, docs *corpus.Corpus, passOpts sketch.Options, run *Run) (*sketch.Sketch, error) {
	if !run.kept.past(accumulated) {
		return sketch.Accumulate(ctx, run.watched(docs, "sketching"), docs.Vocabulary, passOpts)
	}
	from := &run.kept.from
	docs.Account = from.account
	product := from.product
	from.product = nil
	return sketch.Restored(ctx, docs.Vocabulary, passOpts, from.Marginals, product)
}

// restoreSketched returns the result of the first stage that the checkpoint has, after the evidence pass if that is
// left.
func restoreSketched(ctx context.Context, docs *corpus.Corpus, opts *Options, memory *memoryModel,
	chosen ItemWeights) (*Sketched, error) {
	kept := opts.Run.kept
	s := newSketched(docs, kept.from.Marginals, opts, chosen)
	var err error
	if s.begun, err = opts.fitStart(docs); err != nil {
		return nil, err
	}
	if s.memory = memory; memory != nil && docs.Growing() {
		memory.setItems(docs)
		if err := memory.plan(opts.Run); err != nil {
			return nil, err
		}
	}
	from := &kept.from
	s.Manifest, s.Evidence, s.Eigen, s.dense = from.Manifest, from.Evidence, from.Eigen, from.dense
	docs.Account = from.account
	from.Eigen.Vectors = nil // the next stage uses them up
	if memory != nil {
		memory.passes = s.Manifest.Sketch.Passes
		opts.Run.model(memory.stages())
	}
	if kept.past(sketched) {
		return s, nil
	}
	return s, s.measureEvidence(ctx, docs, opts)
}

func newSketched(docs *corpus.Corpus, marginals sketch.Marginals, opts *Options, chosen ItemWeights) *Sketched {
	s := &Sketched{Model: &model.Model{Vocabulary: docs.Vocabulary, Marginals: marginals}, run: opts.Run}
	s.Manifest = model.Manifest{Kind: model.KindSketch, Inputs: docs.Inputs, Skipped: docs.Skipped, Corpus: docs.Account,
		Choice: opts.Choice}
	s.Manifest.Tasks = opts.Sketch.Tasks
	s.Manifest.Sketch = model.SketchRecord{Topics: opts.Topics, Seed: opts.Seed, ItemWeights: string(chosen),
		PairPrior: marginals.PairPrior}
	s.multiply = (&sketch.Operator{Pass: docs.Pass, Marginals: &s.Marginals, Workers: opts.Run.Workers}).Multiply
	return s
}

// weighable returns the vocabulary if its counts are known before the first pass, else nil.
func weighable(docs *corpus.Corpus) *corpus.Vocabulary {
	if docs.Growing() {
		return nil
	}
	return docs.Vocabulary
}

// measureEvidence makes the evidence pass, unless the options leave it out.
func (s *Sketched) measureEvidence(ctx context.Context, docs *corpus.Corpus, opts *Options) error {
	if opts.Sketch.NoEvidence {
		return nil
	}
	defer s.run.Stage("evidence")()
	var err error
	s.Evidence, err = sketch.MeasureEvidence(ctx, s.run.watched(docs, "evidence"), &s.Marginals, &s.Eigen,
		sketch.EvidenceOptions{Workers: s.run.Workers, Cuts: opts.Levels})
	if err == nil {
		s.run.found("items", len(s.Evidence.SamplingVariance))
	}
	return err
}

// take records the eigenpairs, found with the given number of columns.
func (s *Sketched) take(eigen *sketch.Eigen, opts *Options, columns int) {
	s.Eigen = *eigen
	r := &s.Manifest.Sketch
	r.Columns, r.Passes, r.ResidualEstimated = columns, eigen.Passes, eigen.Estimated
	r.LargestResidual = slices.Max(eigen.Residuals)
	if eigen.Leading != nil {
		r.Leading, r.GuardValues = eigen.Leading.Cols(), eigen.GuardValues
	}
	dropped := s.Manifest.Corpus.Dropped
	s.run.found("documents", s.Marginals.Documents, "few_items", dropped.FewItems, "few_tokens", dropped.FewTokens,
		"no_pair", dropped.NoPair, "items", s.Vocabulary.Len(), "topics", opts.Topics, "passes", eigen.Passes, "greatest",
		eigen.Values[0], "least", eigen.Values[len(eigen.Values)-1], "largest_residual", r.LargestResidual, "estimated",
		eigen.Estimated)
}

// countDense counts a dense C in one pass, and calls then to complete the first stage, unless the checkpoint has it.
func countDense(ctx context.Context, docs *corpus.Corpus, opts *Options,
	then func(*Sketched) error) (*Sketched, error) {
	end := opts.Run.Stage("co-occurrences")
	defer end()
	weights, chosen, err := opts.Sketch.ItemWeights.weigh(weighable(docs))
	if err != nil {
		return nil, err
	}
	if opts.Run.kept.past(sketched) {
		return restoreSketched(ctx, docs, opts, nil, chosen)
	}
	c, marginals, err := sketch.Dense(ctx, opts.Run.watched(docs, "counting"), docs.Vocabulary.Len(), weights,
		opts.Sketch.DocumentWeights.prior(), opts.Run.denseBytes(), opts.Run.Workers)
	if err != nil {
		return nil, err
	}
	s := newSketched(docs, *marginals, opts, chosen)
	s.Manifest.Sketch.Passes = 1
	s.dense = c
	s.run.found("documents", marginals.Documents, "items", c.Rows())
	end()
	return s, then(s)
}

// countRanked counts a dense C and returns a *sketch.RankError unless it has as many positive eigenvalues as topics are
// asked for. AW finds anchors in any C: that of one document, repeated, has rows that differ only by its missing
// diagonal.
func countRanked(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	return countDense(ctx, docs, opts, func(s *Sketched) error {
		_, err := s.denseEigen(ctx, opts)
		return err
	})
}

// denseEigen finds the leading eigenpairs of a dense C.
func (s *Sketched) denseEigen(ctx context.Context, opts *Options) (*sketch.Eigen, error) {
	return rectify.Eigen(ctx, rectify.Dense(s.dense, s.run.Workers), s.dense.Rows(), opts.Topics,
		rectify.Options{Seed: opts.Seed, Key: s.Vocabulary.Key, Workers: s.run.Workers})
}

// exactEigenpairs counts a dense C and finds its leading eigenpairs.
func exactEigenpairs(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	return countDense(ctx, docs, opts, func(s *Sketched) error {
		end := s.run.Stage("eigenpairs")
		defer end()
		eigen, err := s.denseEigen(ctx, opts)
		if err != nil {
			return err
		}
		s.dense = nil
		eigen.Passes = 1
		s.take(eigen, opts, 0)
		end()
		return s.measureEvidence(ctx, docs, opts)
	})
}
