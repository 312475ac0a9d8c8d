// This file holds the stages: what leads from documents to eigenpairs, to a factor, to topics.

package model

import (
	"context"
	"fmt"
	"log/slog"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/rectify"
	"anchorage/sketch"
)

// State is a run between two stages.
type State struct {
	Manifest   Manifest
	Run        *Run
	Log        *slog.Logger
	Vocabulary *corpus.Vocabulary
	Marginals  sketch.Marginals
	Evidence   *sketch.Evidence // after the sketch; nil if it was not gathered
	Values     []float64        // eigenvalues of C, decreasing; after the sketch
	Residuals  []float64        // of the pairs, relative to the greatest value
	Vectors    *matrix.Tall     // eigenvectors, N×K; after the sketch, until Rectify uses them up
	Factor     *matrix.Tall     // Y, N×K; after Rectify
	Topics     *anchor.Topics   // after Anchor or Bayes; the latter finds no anchors

	relevance float64      // λ of the prominent items
	memory    *memoryModel // of the run; nil where it began with what an earlier stage had written
	bayes     *bayes       // after Bayes
}

// SketchOptions say how eigenpairs are found. The zero value of everything but Topics is the default.
type SketchOptions struct {
	Topics  int
	Passes  int    // over the documents; 0 for as many as accuracy asks for
	Columns int    // of the random matrix; 0 for K+30, or 4K with a single pass
	Seed    uint64 // of all random numbers of the run
	Workers int
	// ItemWeights says how items weigh in documents; WeightsAuto if empty.
	ItemWeights ItemWeights
	// NoEvidence leaves out the pass that tells how far each item's row can be trusted. A single pass never has it.
	NoEvidence bool
	// MemoryLimit, if not 0, is what the whole run may take of memory, in bytes. What cannot fit is refused with a
	// *MemoryError before the work, or a *sketch.DenseError where C is held; what can gets as many Krylov blocks, which have an
	// influence on the result, and as much room for corrections as fit.
	MemoryLimit int64
	// Gathered, if not nil, is called with the sketch of a single pass before it is used up.
	Gathered func(*sketch.Sketch) error
}

// columns returns L.
func (o SketchOptions) columns() int {
	switch {
	case o.Columns > 0:
		return o.Columns
	case o.Passes == 1:
		return 4 * o.Topics
	}
	return o.Topics + 30
}

// Check returns an error when the options contradict each other.
func (o SketchOptions) Check() error {
	switch {
	case o.Topics < 2:
		return fmt.Errorf("there must be at least 2 topics (-k), not %d", o.Topics)
	case o.Passes < 0:
		return fmt.Errorf("the number of passes cannot be %d", o.Passes)
	case o.columns() < o.Topics:
		return fmt.Errorf("%d sketch columns are too few for %d topics: there must be at least as many, and 4 times as many for a single pass", o.columns(), o.Topics)
	}
	return nil
}

// Sketch makes passes over the corpus and finds the leading eigenpairs of C.
func Sketch(ctx context.Context, docs *corpus.Corpus, opts SketchOptions, run *Run, log *slog.Logger) (*State, error) {
	return sketchFor(ctx, docs, opts, nil, run, log)
}

// sketchFor is Sketch as the first stage of a fit, nil for none. Within a limit of memory it says in fit how much corrections may take.
func sketchFor(ctx context.Context, docs *corpus.Corpus, opts SketchOptions, fit *FitOptions, run *Run, log *slog.Logger) (*State, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	weights, chosen, err := opts.ItemWeights.weigh(weighable(docs))
	if err != nil {
		return nil, err
	}
	if n := docs.Vocabulary.Len(); docs.Account.Items > 0 && n < opts.Topics {
		return nil, &corpus.DataError{Lack: corpus.TooFewItems, Reason: fmt.Sprintf("%d topics (-k) are more than the %d items of the vocabulary", opts.Topics, n)}
	}
	memory := newMemoryModel(docs, opts, fit, weights != nil)
	if !docs.Growing() {
		if err := memory.plan(opts.MemoryLimit, run, log); err != nil {
			return nil, err
		}
	}
	end := run.Stage("sketch")
	defer end()
	report := run.pass()
	passOpts := sketch.Options{Columns: opts.columns(), Seed: opts.Seed, Weights: weights, Workers: opts.Workers, Passes: opts.Passes,
		Report: func(pass int, residual float64) {
			report(pass, residual)
			log.Info("pass over the documents", "pass", pass, "largest_residual", residual)
		}}
	if opts.MemoryLimit > 0 {
		passOpts.MaxBlocks = memory.blocks
	}
	gathered, err := sketch.Accumulate(ctx, memory.watching(docs, opts.MemoryLimit), docs.Vocabulary, passOpts)
	if err != nil {
		return nil, err
	}
	log.Info("pass over the documents", "pass", 1, "documents", gathered.Marginals.Documents, "items", gathered.Items(),
		"few_items", docs.Account.Dropped.FewItems, "few_tokens", docs.Account.Dropped.FewTokens, "no_pair", docs.Account.Dropped.NoPair)
	s := &State{Run: run, Log: log, Vocabulary: docs.Vocabulary, Marginals: gathered.Marginals, memory: memory}
	s.Manifest = Manifest{Kind: KindSketch, Inputs: docs.Inputs, Skipped: docs.Skipped, Corpus: docs.Account}
	s.Manifest.Sketch.ItemWeights = chosen
	if docs.Growing() {
		memory.setItems(docs)
		if err := memory.plan(opts.MemoryLimit, run, log); err != nil {
			return nil, err
		}
	}
	if opts.Passes == 1 {
		if opts.Gathered != nil {
			if err := opts.Gathered(gathered); err != nil {
				return nil, err
			}
		}
		return s, s.truncate(gathered, opts)
	}
	eigen, err := gathered.Krylov(ctx, docs.Pass, opts.Topics, passOpts)
	if err != nil {
		return nil, err
	}
	s.take(eigen, opts)
	s.Manifest.Sketch.KrylovBlocks = passOpts.MaxBlocks
	memory.passes = eigen.Passes
	run.model(memory.stages())
	end()
	return s, s.gather(ctx, docs, opts)
}

// gather makes the evidence pass.
func (s *State) gather(ctx context.Context, docs *corpus.Corpus, opts SketchOptions) error {
	if opts.NoEvidence {
		return nil
	}
	defer s.Run.Stage("evidence")()
	eigen := sketch.Eigen{Values: s.Values, Vectors: s.Vectors}
	var err error
	s.Evidence, err = sketch.MeasureEvidence(ctx, docs.Pass, &s.Marginals, &eigen, opts.Workers)
	return err
}

// Merge makes a state from the sum of sketches, which must be of the same seed, width and vocabulary.
func Merge(sketches []*SavedSketch, opts SketchOptions, run *Run, log *slog.Logger) (*State, error) {
	first := sketches[0]
	s := &State{Run: run, Log: log, Vocabulary: first.Vocabulary}
	s.Manifest = first.Manifest
	s.Manifest.Inputs = append([]corpus.Input(nil), first.Manifest.Inputs...)
	s.Manifest.Skipped = append([]corpus.Skipped(nil), first.Manifest.Skipped...)
	for _, other := range sketches[1:] {
		if err := first.Sketch.Merge(other.Sketch); err != nil {
			return nil, &InputError{Path: other.Path, Reason: "cannot be merged with " + first.Path + ": " + err.Error()}
		}
		if err := s.Manifest.add(other); err != nil {
			return nil, err
		}
	}
	s.Marginals = first.Sketch.Marginals
	opts.ItemWeights = s.Manifest.Sketch.ItemWeights
	opts.Seed, opts.Columns, opts.Passes = first.Sketch.Seed, first.Sketch.Product.Cols(), 1
	if err := opts.Check(); err != nil {
		return nil, err
	}
	defer run.Stage("merge")()
	if opts.Gathered != nil {
		if err := opts.Gathered(first.Sketch); err != nil {
			return nil, err
		}
	}
	if err := s.truncate(first.Sketch, opts); err != nil {
		return nil, err
	}
	s.Manifest.Sketch.MergedFrom = len(sketches)
	return s, nil
}

// add counts another sketch's documents in. A shard that both were made from is refused: its documents would count twice.
func (m *Manifest) add(other *SavedSketch) error {
	for _, in := range other.Manifest.Inputs {
		for _, known := range m.Inputs {
			if in.SHA256 == known.SHA256 && in.Documents > 0 {
				return &InputError{Path: other.Path, Reason: fmt.Sprintf("was made from %s, which %s is the same file as: merge sketches of different shards", in.Path, known.Path)}
			}
		}
	}
	m.Inputs = append(m.Inputs, other.Manifest.Inputs...)
	m.Skipped = append(m.Skipped, other.Manifest.Skipped...)
	m.Corpus.Add(other.Manifest.Corpus)
	return nil
}

// truncate takes the eigenpairs of a single pass.
func (s *State) truncate(gathered *sketch.Sketch, opts SketchOptions) error {
	eigen, err := gathered.Truncated(opts.Topics, opts.Workers)
	if err != nil {
		return err
	}
	s.take(eigen, opts)
	return nil
}

// take notes the eigenpairs.
func (s *State) take(eigen *sketch.Eigen, opts SketchOptions) {
	s.Values, s.Residuals, s.Vectors = eigen.Values, eigen.Residuals, eigen.Vectors
	r := &s.Manifest.Sketch
	*r = SketchRecord{Topics: opts.Topics, Seed: opts.Seed, Columns: opts.columns(), Passes: eigen.Passes,
		ItemWeights: r.ItemWeights, ResidualEstimated: eigen.Estimated}
	for _, residual := range eigen.Residuals {
		r.LargestResidual = max(r.LargestResidual, residual)
	}
	s.Log.Info("eigenpairs found", "passes", eigen.Passes, "greatest", eigen.Values[0], "least", eigen.Values[len(eigen.Values)-1],
		"largest_residual", r.LargestResidual, "estimated", eigen.Estimated)
}

// RectifyOptions say how the factor is rectified; see rectify.Options.
type RectifyOptions struct {
	Method     Method // LRJSMF or EnnLaw for ENN, PALM or IPALM; LRJSMF if empty
	Baseline   bool   // leave the factor as it is
	Iterations int
	// Normalization is that of ENN; NormalizeMarginal if empty.
	Normalization Normalization
	// Where ENN keeps its corrections, which has no influence on the result; see rectify.Options.
	Corrections     rectify.CorrectionsMode
	CorrectionBytes int64
	SpillDir        string
	SpillLimit      int64
	Workers         int
	Multiply        rectify.Operator // C·x, for PALM and IPALM
}

// Rectify turns the eigenpairs into a rectified factor.
func (s *State) Rectify(ctx context.Context, opts RectifyOptions) error {
	defer s.Run.Stage("rectify")()
	eigen := sketch.Eigen{Values: s.Values, Vectors: s.Vectors}
	y := eigen.Factor(opts.Workers)
	s.Vectors = nil
	s.Manifest.Kind = KindFactor
	if opts.Baseline {
		s.Factor = y
		s.Manifest.Rectify = &RectifyRecord{Method: "none"}
		return nil
	}
	var result *rectify.Result
	var err error
	var normalization Normalization // ENN alone has it
	method := "enn"
	switch opts.Method {
	case PALM:
		method = string(PALM)
		result, err = rectify.PALM(ctx, opts.Multiply, y, rectify.PALMOptions{Options: s.rectifyOptions(opts)})
	case IPALM:
		method = string(IPALM)
		result, err = rectify.IPALM(ctx, opts.Multiply, y, rectify.PALMOptions{Options: s.rectifyOptions(opts)})
	default:
		enn := s.rectifyOptions(opts)
		if opts.Normalization == "" {
			opts.Normalization = NormalizeMarginal
		}
		if opts.Normalization == NormalizeMarginal {
			enn.Marginals = s.Marginals.Probabilities()
		}
		normalization = opts.Normalization
		result, err = rectify.ENN(ctx, y, enn)
	}
	if err != nil {
		return err
	}
	s.Factor = result.Factor
	if s.memory != nil {
		s.memory.found(s.Run.iterations)
		s.Run.model(s.memory.stages())
	}
	s.noteRectified(method, result)
	s.Manifest.Rectify.Normalization = normalization
	return nil
}

// rectifyOptions are those of package rectify, with iterations noted as they are reported.
func (s *State) rectifyOptions(opts RectifyOptions) rectify.Options {
	report := s.Run.iteration()
	return rectify.Options{Iterations: opts.Iterations, Seed: s.Manifest.Sketch.Seed, Workers: opts.Workers,
		Corrections: opts.Corrections, CorrectionBytes: opts.CorrectionBytes, SpillDir: opts.SpillDir, SpillLimit: opts.SpillLimit,
		Report: func(i rectify.Iteration) {
			report(i)
			s.Log.Info("rectification", "iteration", i.Number, "change", i.Change, "density", i.Density, "shift", i.Shift, "corrections_sum", i.CorrectionsSum,
				"corrections", i.Corrections, "corrections_bytes", i.CorrectionBytes, "because", i.CorrectionReason)
		},
	}
}

// noteRectified records what a rectifier did.
func (s *State) noteRectified(method string, result *rectify.Result) {
	last := result.Iterations[len(result.Iterations)-1]
	s.Manifest.Rectify = &RectifyRecord{Method: method, Iterations: last.Number, Converged: result.Converged,
		Change: last.Change, Density: last.Density, Shift: last.Shift, Norm: result.Norm}
	s.Log.Info("co-occurrences rectified", "method", method, "iterations", last.Number, "converged", result.Converged, "norm", result.Norm)
}

// AnchorOptions say how topics are found; see anchor.Options.
type AnchorOptions struct {
	RowSums    anchor.RowSums
	MinDF      int64
	NoPolish   bool // leave the mixtures as the anchors alone give them
	NoEvidence bool // take every row for certain, even where the evidence is known
	// Relevance is λ of the order in which a topic's prominent items are listed, up to 1; see Relevance. 0 is 1 where items
	// were weighed and 0.6 where they were not: both leave out what is frequent everywhere.
	Relevance float64
	Workers   int
}

// Anchor finds anchors and topics of the factor.
func (s *State) Anchor(ctx context.Context, opts AnchorOptions) error {
	defer s.Run.Stage("anchor")()
	topics, err := anchor.LAW(ctx, s.Factor, s.Marginals.Probabilities(), s.anchorOptions(opts, s.Factor.Cols()))
	if err != nil {
		return err
	}
	if s.memory != nil {
		s.memory.corrected = topics.Stats.Correction.Rows
		s.Run.model(s.memory.stages())
	}
	s.noteTopics(topics, "law", opts)
	return nil
}

func (s *State) anchorOptions(opts AnchorOptions, topics int) anchor.Options {
	o := anchor.Options{Topics: topics, RowSums: opts.RowSums, MinDF: opts.MinDF,
		DocumentFrequency: s.Marginals.DocumentFrequency, Workers: opts.Workers, Name: s.Vocabulary.ID}
	o.Polish = !opts.NoPolish
	if s.Evidence != nil && !opts.NoEvidence {
		h := s.Evidence.Halves
		o.SamplingVariance = s.Evidence.SamplingVariance
		o.Halves = &anchor.Halves{Items: h.Items, Sums: h.Sums, Rows: h.Rows}
	}
	return o
}

// noteTopics records what was found, and how.
func (s *State) noteTopics(topics *anchor.Topics, method string, opts AnchorOptions) {
	s.Topics = topics
	s.Manifest.Kind = KindModel
	rowSums := "factor"
	if opts.RowSums == anchor.RowSumsExact {
		rowSums = "exact"
	}
	s.relevance = opts.Relevance
	if opts.Relevance == 0 {
		s.relevance = 0.6
		if s.Marginals.Weights != nil {
			s.relevance = 1
		}
	}
	s.Manifest.Anchor = &AnchorRecord{Method: method, RowSums: rowSums, AnchorMinDF: opts.MinDF, Evidence: topics.Reliability != nil,
		Polish: !opts.NoPolish && method == "law", Unpolished: topics.Stats.Unpolished.Rows(),
		Relevance: s.relevance, LargestKKT: topics.Stats.Solver.WorstResidual,
		Findings: topics.Findings(s.support(), s.Marginals.Probabilities(), s.relevance, TopItems)}
	if u := topics.Stats.Unpolished; u.Rows() > 0 {
		s.Log.Warn("rows left as the anchors alone give them", "topics_without_items", u.Topics, "correlation_rows", u.JointRows, "condition", u.Condition)
	}
	s.Log.Info("topics found", "topics", topics.K, "largest_pivot", topics.Pivots[0], "smallest_pivot", topics.Pivots[topics.K-1])
}

// weighable returns the vocabulary if its counts stand before the first pass, else nil: while items are discovered by the very
// pass they are not yet known.
func weighable(docs *corpus.Corpus) *corpus.Vocabulary {
	if docs.Growing() {
		return nil
	}
	return docs.Vocabulary
}
