// This file implements the first stage: from documents to the leading eigenpairs of C.

package model

import (
	"context"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Sketched is the result of the first stage: the leading eigenpairs of C, or C itself for methods that hold it, and the marginals and
// evidence that later stages need. Rectify uses it up.
type Sketched struct {
	Manifest   Manifest
	Vocabulary *corpus.Vocabulary
	Marginals  sketch.Marginals
	Evidence   *sketch.Evidence // nil if it was not measured
	Eigen      sketch.Eigen     // K pairs; none if C is held

	run      *Run
	memory   *memoryModel     // of the run; nil if the sketch was loaded
	multiply rectify.Operator // C·x by a pass over the documents; nil if the sketch was loaded
	dense    *matrix.Tall     // C, N×N; nil if it is not held
}

// Sketch makes passes over the corpus and finds the leading eigenpairs of C. It uses the options of the first stage and ignores
// opts.Method. The error is a *MemoryError if the memory limit is too low, a *sketch.RankError if there are fewer eigenpairs than
// topics, or that of the corpus.
func Sketch(ctx context.Context, docs *corpus.Corpus, opts Options) (*Sketched, error) {
	opts = opts.prepared()
	opts.Method = LRJSMF
	if err := opts.Check(); err != nil {
		return nil, err
	}
	return sketchOnly(ctx, docs, &opts, false)
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
	if err := checkProportion(docs, opts.Topics, run); err != nil {
		return nil, err
	}
	memory := newMemoryModel(docs, opts, fit, weights != nil)
	if !docs.Growing() {
		if err := memory.plan(run); err != nil {
			return nil, err
		}
	}
	end := run.Stage("sketch")
	defer end()
	report := run.pass()
	passOpts := sketch.Options{Columns: opts.columns(), Seed: opts.Seed, Weights: weights, Workers: run.Workers, Passes: opts.Sketch.Passes,
		Report: report}
	if run.MemoryLimit > 0 {
		passOpts.MaxBlocks = memory.blocks
	}
	norms := &sketch.PairNorms{Weights: weights}
	accumulated, err := sketch.Accumulate(ctx, norms.Watch(memory.watching(docs, run)), docs.Vocabulary, passOpts)
	if err != nil {
		return nil, err
	}
	gauge := gauge{norms, accumulated, accumulated.ColumnSquares(run.Workers)}
	dropped := docs.Account.Dropped
	run.log().Debug("pass over the documents", "pass", 1, "documents", accumulated.Marginals.Documents, "items", accumulated.Items(),
		"few_items", dropped.FewItems, "few_tokens", dropped.FewTokens, "no_pair", dropped.NoPair)
	s := newSketched(docs, accumulated.Marginals, opts, chosen)
	s.memory = memory
	if docs.Growing() {
		memory.setItems(docs)
		if err := memory.plan(run); err != nil {
			return nil, err
		}
	}
	if opts.Sketch.Passes == 1 {
		if err := s.truncate(ctx, accumulated, opts); err != nil {
			return s, err
		}
		return s, s.measureNorm(ctx, gauge)
	}
	eigen, err := accumulated.Krylov(ctx, run.watched(docs, "sketching"), opts.Topics, passOpts)
	if err != nil {
		return nil, err
	}
	s.take(eigen, opts)
	s.Manifest.Sketch.KrylovBlocks = passOpts.MaxBlocks
	memory.passes = eigen.Passes
	run.model(memory.stages())
	if err := s.measureNorm(ctx, gauge); err != nil {
		return nil, err
	}
	end()
	return s, s.measureEvidence(ctx, docs, opts)
}

func newSketched(docs *corpus.Corpus, marginals sketch.Marginals, opts *Options, chosen ItemWeights) *Sketched {
	s := &Sketched{Vocabulary: docs.Vocabulary, Marginals: marginals, run: opts.Run}
	s.Manifest = Manifest{Kind: KindSketch, Inputs: docs.Inputs, Skipped: docs.Skipped, Corpus: docs.Account}
	s.Manifest.Sketch = SketchRecord{Topics: opts.Topics, Seed: opts.Seed, ItemWeights: chosen}
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

// leastTopics is the number of topics that a model has at least.
const leastTopics = 2

// measureEvidence makes the evidence pass, unless the options leave it out.
func (s *Sketched) measureEvidence(ctx context.Context, docs *corpus.Corpus, opts *Options) error {
	if opts.Sketch.NoEvidence {
		return nil
	}
	defer s.run.Stage("evidence")()
	var err error
	s.Evidence, err = sketch.MeasureEvidence(ctx, s.run.watched(docs, "evidence"), &s.Marginals, &s.Eigen,
		sketch.EvidenceOptions{Seed: s.Manifest.Sketch.Seed, Key: s.Vocabulary.Key, Workers: s.run.Workers})
	if err == nil {
		s.run.found("items_halved", len(s.Evidence.Halves.Items))
	}
	return err
}

// truncate computes the eigenpairs of a single pass. Before that, it writes the sketch if the options ask for it.
func (s *Sketched) truncate(ctx context.Context, accumulated *sketch.Sketch, opts *Options) error {
	if out := opts.Sketch.Mergeable; out != nil {
		if err := tallTable(sketchFile, "y", accumulated.Product).write(out); err != nil {
			return err
		}
	}
	eigen, err := accumulated.Truncated(ctx, opts.Topics, s.run.Workers)
	if err != nil {
		return err
	}
	s.take(eigen, opts)
	return nil
}

// take records the eigenpairs.
func (s *Sketched) take(eigen *sketch.Eigen, opts *Options) {
	s.Eigen = *eigen
	r := &s.Manifest.Sketch
	r.Columns, r.Passes, r.ResidualEstimated = opts.columns(), eigen.Passes, eigen.Estimated
	for _, residual := range eigen.Residuals {
		r.LargestResidual = max(r.LargestResidual, residual)
	}
	dropped := s.Manifest.Corpus.Dropped
	s.run.found("documents", s.Marginals.Documents, "few_items", dropped.FewItems, "few_tokens", dropped.FewTokens, "no_pair", dropped.NoPair,
		"items", s.Vocabulary.Len(), "topics", opts.Topics, "passes", eigen.Passes, "greatest", eigen.Values[0],
		"least", eigen.Values[len(eigen.Values)-1], "largest_residual", r.LargestResidual, "estimated", eigen.Estimated)
}

// countDense counts a dense C in one pass.
func countDense(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	defer opts.Run.Stage("co-occurrences")()
	weights, chosen, err := opts.Sketch.ItemWeights.weigh(weighable(docs))
	if err != nil {
		return nil, err
	}
	c, marginals, err := sketch.Dense(ctx, opts.Run.watched(docs, "counting"), docs.Vocabulary.Len(), weights, opts.Run.denseBytes(), opts.Run.Workers)
	if err != nil {
		return nil, err
	}
	s := newSketched(docs, *marginals, opts, chosen)
	s.Manifest.Sketch.Passes = 1
	s.dense = c
	s.run.found("documents", marginals.Documents, "items", c.Rows())
	return s, nil
}

// exactEigenpairs counts a dense C and finds its leading eigenpairs.
func exactEigenpairs(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	s, err := countDense(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	c := s.dense
	s.dense = nil
	end := s.run.Stage("eigenpairs")
	defer end()
	eigen, err := rectify.Eigen(ctx, rectify.Dense(c, s.run.Workers), c.Rows(), opts.Topics, rectify.Options{Seed: opts.Seed, Key: docs.Vocabulary.Key, Workers: s.run.Workers})
	if err != nil {
		return nil, err
	}
	eigen.Passes = 1
	s.take(eigen, opts)
	s.Manifest.Sketch.Columns = 0
	end()
	return s, s.measureEvidence(ctx, docs, opts)
}
