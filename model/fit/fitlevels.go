// This file fits several numbers of topics from one sketch: the coarser levels of a model, and sketches of fewer
// topics.

package fit

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/items"
)

// coarser are the levels of a fit that were solved so far.
type coarser struct {
	output   *model.Output
	levels   []model.Level
	records  []model.LevelRecord
	mixtures *matrix.Single // p(topic | item) of the last of them
	shares   []float64      // p(topic) of the same
}

// fitLevels fits the coarser levels, the coarsest first, and writes each into the output as soon as it is complete.
// Beside the sketch, one level at a time is held, and the mixtures of the one before it. It returns nil if there is one
// level.
func (s *Sketched) fitLevels(ctx context.Context, docs *corpus.Corpus, opts *Options) (*coarser, error) {
	if len(opts.Levels) == 0 {
		return nil, nil
	}
	if opts.Output == nil {
		return nil, badOption("Output", "the coarser levels need an output")
	}
	done := &coarser{output: opts.Output}
	for at, k := range opts.Levels {
		f, err := s.fitLevel(ctx, docs, *opts, at)
		if err != nil {
			return nil, err
		}
		if err := done.add(ctx, f, model.LevelFolder(k)); err != nil {
			return nil, err
		}
		record, err := f.saveLevel(ctx, docs, opts, k)
		if err != nil {
			return nil, err
		}
		done.records = append(done.records, record)
		for _, stage := range slices.Clone(f.run.stages[len(s.run.stages):]) { // those of the branch become the run's
			s.run.model([]StageMemory{{levelStage(stage.Name, k), f.run.modelled[stage.Name]}})
			stage.Name = levelStage(stage.Name, k)
			s.run.stages = append(s.run.stages, stage)
		}
	}
	return done, nil
}

// fitLevel fits a level, or takes it from the checkpoint if it was complete.
func (s *Sketched) fitLevel(ctx context.Context, docs *corpus.Corpus, opts Options, at int) (*Fitted, error) {
	k := opts.Levels[at]
	var kept *keeping // nil if the run has no checkpoint
	var err error
	if of := s.run.kept; of != nil {
		if kept, err = folderChain(of.folder, of.docs, fmt.Sprintf("level-%d", k), s.run.Workers); err != nil {
			return nil, err
		}
	}
	var of *Sketched
	switch {
	case kept.past(solved):
		of = &Sketched{Model: &model.Model{Vocabulary: s.Vocabulary}, run: s.run.branch()}
	case s.Eigen.Vectors == nil: // the finest level was begun, which uses them up
		return nil, damaged(s.run.Checkpoint.Path(),
			fmt.Errorf("%w: the level of %d topics is missing", checkpoint.ErrDamaged, k))
	default:
		if of, err = s.At(k); err != nil {
			return nil, err
		}
	}
	if kept.past(rectifying) {
		of.Eigen.Vectors = nil // the rectification continues from its state
	}
	of.begun = nil // its topics are those of the finest level
	of.run.kept, of.run.Log = kept, s.run.log().With(slog.Int("level", k))
	if s.memory != nil {
		of.memory = s.memory.level(at)
		of.run.model(residents(of.memory.solving()))
	}
	opts.Topics, opts.Levels, opts.Start, opts.Run = k, nil, nil, of.run
	opts.Output, opts.Pairs, opts.Documents = nil, items.Options{}, false
	f, err := of.fit(ctx, docs, opts)
	if err == nil {
		kept.reached(solved, f.snapshot(docs))
	}
	return f, err
}

// add adds a level that is complete.
func (c *coarser) add(ctx context.Context, f *Fitted, folder string) (err error) {
	overview := f.Overview()
	level := model.Level{Topics: f.Topics.K, Folder: folder, TopicShares: overview.Shares, Prominent: overview.Prominent}
	if c.mixtures != nil {
		if level.Within, err = f.within(ctx, c.mixtures, c.shares); err != nil {
			return err
		}
	}
	c.levels = append(c.levels, level)
	if c.mixtures = nil; folder != "" {
		t := f.Topics
		c.mixtures, c.shares = matrix.SingleOf(t.Mixtures), f.thinning(ctx).Shares(t.Prior)
	}
	return nil
}

// saveLevel writes a level into the output of the finest.
func (f *Fitted) saveLevel(ctx context.Context, docs *corpus.Corpus, opts *Options, k int) (model.LevelRecord, error) {
	record := model.LevelRecord{Topics: k, Folder: model.LevelFolder(k)}
	nested, err := opts.Output.Nested(record.Folder)
	if err != nil {
		return record, err
	}
	defer nested.Abort()
	f.reported = opts.Report
	if err := f.foldIn(ctx, docs, &Extras{Output: nested, NoFoldIn: opts.NoFoldIn}); err != nil {
		return record, err
	}
	if err := f.SaveTo(nested); err != nil {
		return record, err
	}
	for _, file := range nested.Files() {
		if file.Name == model.ManifestFile {
			record.Size, record.SHA256 = file.Size, file.SHA256
		}
	}
	return record, nil
}

// level returns the model of the stages of a coarser level, after the sketch.
func (m *memoryModel) level(at int) *memoryModel {
	of := *m
	of.topics, of.held, of.levels, of.before, of.read = m.levels[at], m.topics, nil, 0, 0
	if at > 0 {
		of.before = m.levels[at-1]
	}
	return &of
}

// coarser returns the models of all coarser levels.
func (m *memoryModel) coarser() []*memoryModel {
	var all []*memoryModel
	for at := range m.levels {
		all = append(all, m.level(at))
	}
	return all
}

// most returns the most that a stage takes, of all levels, as the size of the process.
func (m *memoryModel) most(of func(*memoryModel) int64) (bytes int64) {
	for _, one := range append(m.coarser(), m) {
		bytes = max(bytes, resident(of(one)))
	}
	return bytes
}

// AllTopics returns the sum of the numbers of topics of all levels.
func (o *Options) AllTopics() (sum int) {
	for _, k := range append(slices.Clone(o.Levels), o.Topics) {
		sum += k
	}
	return sum
}

// checkLevels returns an *OptionError if the levels are not such that Fit finds them.
func (o *Options) checkLevels() error {
	for i, k := range o.Levels {
		if k < leastTopics || k >= o.Topics || i > 0 && k <= o.Levels[i-1] {
			return badOption("Levels", "must increase from %d or more to less than %d, the number of topics, but are %v",
				leastTopics, o.Topics, o.Levels)
		}
	}
	if len(o.Levels) > 0 && o.Method.entry().inference != "law" {
		return badOption("Levels", "%s has no factor from which several numbers of topics can be solved", o.Method)
	}
	return nil
}

// levelStage names a stage of a coarser level.
func levelStage(stage string, topics int) string { return fmt.Sprintf("%s/%d", stage, topics) }

// At returns a sketch of the first k eigenpairs, with the evidence about them: what Sketch finds for k topics, except
// the tolerance of the eigenpairs. k must be one of Options.Levels, or the number of topics; the error is an
// *OptionError if it is neither and the evidence was measured, or if s holds C.
//
// The result has its own copy of the vectors, N×k, and shares the vocabulary, the marginals and the effective sample
// sizes. It has no vectors for later fits. Its stages are recorded in a separate Run, a copy of that of s so far, which
// has no checkpoint. s stays as it is: the memory of s and of one result at a time is what the memory limit covers.
func (s *Sketched) At(k int) (*Sketched, error) {
	if s.dense != nil {
		return nil, badOption("Levels", "a method that holds all co-occurrences serves one number of topics")
	}
	if s.Eigen.Vectors == nil {
		panic("model: this sketch was already rectified")
	}
	if k < leastTopics || k > len(s.Eigen.Values) {
		return nil, badOption("Levels", "the sketch is for %d to %d topics, not %d", leastTopics, len(s.Eigen.Values), k)
	}
	of := &Sketched{Model: &model.Model{Manifest: s.Manifest, Vocabulary: s.Vocabulary, Marginals: s.Marginals},
		run: s.run.branch(), begun: s.begun, multiply: s.multiply}
	if s.Evidence != nil {
		var known bool
		if of.Evidence, known = s.Evidence.First(k, len(s.Eigen.Values)); !known {
			return nil, badOption("Levels", "the sketch has no evidence about %d topics", k)
		}
	}
	of.Eigen = *s.Eigen.First(k)
	if s.memory != nil {
		memory := *s.memory
		memory.topics, of.memory = k, &memory
	}
	r := &of.Manifest.Sketch
	r.Topics, r.Leading, r.GuardValues, r.LargestResidual = k, 0, nil, slices.Max(of.Eigen.Residuals)
	if r.Findings != nil {
		r.EstimatedError = of.Eigen.Error()
		r.Findings = &model.SketchFindings{Rough: r.EstimatedError >= roughError}
	}
	return of, nil
}

// branch returns a run that continues r without changing it, and keeps no checkpoint.
func (r *Run) branch() *Run {
	b := *r
	b.Checkpoint, b.kept, b.figures = nil, nil, nil
	b.modelled, b.stages = maps.Clone(r.modelled), slices.Clone(r.stages)
	b.iterations, b.passes = slices.Clone(r.iterations), slices.Clone(r.passes)
	return &b
}
