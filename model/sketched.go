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
	memory   *memoryModel // of the run; nil if the sketch was loaded
	begun    *begun
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
		if err := opts.fitColumns(docs.Vocabulary.Len()); err != nil {
			return nil, err
		}
		if err := memory.plan(run); err != nil {
			return nil, err
		}
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
func sketchKrylov(ctx context.Context, docs *corpus.Corpus, opts *Options, memory *memoryModel, begun *begun, weights []float64, chosen ItemWeights) (*Sketched, error) {
	run := opts.Run
	end := run.Stage("sketch")
	defer end()
	passOpts := sketch.Options{Columns: opts.columns(), Seed: opts.Seed, Weights: weights, Workers: run.Workers, Passes: opts.Sketch.Passes,
		Start: begun.vectors(opts.columns()), Report: run.pass()}
	if run.MemoryLimit > 0 {
		passOpts.MaxBlocks = memory.blocks
	}
	norms := &sketch.PairNorms{Weights: weights}
	accumulated, err := sketch.Accumulate(ctx, norms.Watch(run.watched(docs, "sketching")), docs.Vocabulary, passOpts)
	if err != nil {
		return nil, err
	}
	gauge := gauge{norms, accumulated, accumulated.ColumnSquares(run.Workers)}
	s := newSketched(docs, accumulated.Marginals, opts, chosen)
	s.memory, s.begun = memory, begun
	if begun != nil {
		s.Manifest.Start = begun.record(passOpts.Start.Columns)
	}
	s.tellPass(docs)
	eigen, err := accumulated.Krylov(ctx, run.watched(docs, "sketching"), opts.Topics, passOpts)
	if err != nil {
		return nil, err
	}
	s.take(eigen, opts, passOpts.Columns)
	s.Manifest.Sketch.KrylovBlocks = passOpts.MaxBlocks
	memory.passes = eigen.Passes
	run.model(memory.stages())
	if err := s.measureNorm(ctx, gauge); err != nil {
		return nil, err
	}
	end()
	return s, s.measureEvidence(ctx, docs, opts)
}

// tellPass logs the first pass.
func (s *Sketched) tellPass(docs *corpus.Corpus) {
	dropped := docs.Account.Dropped
	s.run.log().Debug("pass over the documents", "pass", 1, "documents", s.Marginals.Documents, "items", s.Vocabulary.Len(),
		"few_items", dropped.FewItems, "few_tokens", dropped.FewTokens, "no_pair", dropped.NoPair)
}

func newSketched(docs *corpus.Corpus, marginals sketch.Marginals, opts *Options, chosen ItemWeights) *Sketched {
	s := &Sketched{Vocabulary: docs.Vocabulary, Marginals: marginals, run: opts.Run}
	s.Manifest = Manifest{Kind: KindSketch, Inputs: docs.Inputs, Skipped: docs.Skipped, Corpus: docs.Account}
	s.Manifest.Sketch = SketchRecord{Topics: opts.Topics, Seed: opts.Seed, ItemWeights: chosen, DocumentSurplus: marginals.Surplus}
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

// take records the eigenpairs, found with the given number of columns.
func (s *Sketched) take(eigen *sketch.Eigen, opts *Options, columns int) {
	s.Eigen = *eigen
	r := &s.Manifest.Sketch
	r.Columns, r.Passes, r.ResidualEstimated = columns, eigen.Passes, eigen.Estimated
	if eigen.Leading != nil {
		r.Leading = eigen.Leading.Cols()
	}
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

// countRanked counts a dense C and returns a *sketch.RankError unless it has as many positive eigenvalues as topics are asked for. AW
// finds anchors in any C: that of one document, repeated, has rows that differ by its missing diagonal alone.
func countRanked(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	s, err := countDense(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	_, err = s.denseEigen(ctx, opts)
	return s, err
}

// countCompleted is countRanked for a C whose diagonal will be completed, which raises its eigenvalues: the completion looks at them itself.
func countCompleted(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	if opts.Baseline {
		return countRanked(ctx, docs, opts)
	}
	return countDense(ctx, docs, opts)
}

// denseEigen finds the leading eigenpairs of a dense C.
func (s *Sketched) denseEigen(ctx context.Context, opts *Options) (*sketch.Eigen, error) {
	return rectify.Eigen(ctx, rectify.Dense(s.dense, s.run.Workers), s.dense.Rows(), opts.Topics,
		rectify.Options{Seed: opts.Seed, Key: s.Vocabulary.Key, Workers: s.run.Workers})
}

// exactEigenpairs counts a dense C and finds its leading eigenpairs.
func exactEigenpairs(ctx context.Context, docs *corpus.Corpus, opts *Options) (*Sketched, error) {
	s, err := countDense(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	end := s.run.Stage("eigenpairs")
	defer end()
	eigen, err := s.denseEigen(ctx, opts)
	if err != nil {
		return nil, err
	}
	s.dense = nil
	eigen.Passes = 1
	s.take(eigen, opts, 0)
	end()
	return s, s.measureEvidence(ctx, docs, opts)
}
