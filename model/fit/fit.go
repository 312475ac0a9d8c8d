// This file runs all stages of a fit.

package fit

import (
	"context"

	"anchorage/corpus"
	"anchorage/sketch"
)

// Fit learns a model from the documents of a corpus. It runs Sketch, Rectify and Anchor, and Fitted.Refine unless they
// leave it out, and adds the Extras that they ask for. Other methods may replace the first by a dense C. The errors are
// those of the stages, and of Run.Checkpoint: an interrupted fit that can be resumed returns a *InterruptedError, one
// that cannot be resumed an *InputError.
//
// In a context of several ranks, all of a job must call Fit with the same options, and with the documents that each of
// them has opened. Each then has a part of the rows of every array with a row per item, and saves the model together
// with the others. Some options need a single process: the error is an *OptionError.
func Fit(ctx context.Context, docs *corpus.Corpus, opts Options) (*Fitted, error) {
	opts = opts.prepared()
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if err := opts.together(ctx, docs); err != nil {
		return nil, err
	}
	if err := opts.Run.keep(docs, &opts, "fit"); err != nil {
		return nil, err
	}
	fitted, err := fitStages(ctx, docs, opts)
	if err == nil {
		err = fitted.addRest(ctx, docs, &opts.Extras)
	}
	return fitted, opts.Run.Checkpoint.Interrupted(err)
}

// fitStages runs the stages that the checkpoint does not have.
func fitStages(ctx context.Context, docs *corpus.Corpus, opts Options) (*Fitted, error) {
	first, err := opts.Method.entry().start(ctx, docs, &opts)
	if err != nil {
		return nil, err
	}
	if err := docs.NameItems(ctx); err != nil {
		return nil, err
	}
	opts.Run.kept.reached(sketched, first.snapshot(docs))
	release, err := first.setAside(ctx)
	if err != nil {
		return nil, err
	}
	defer opts.Run.kept.until(release)
	coarser, err := first.fitLevels(ctx, docs, &opts)
	if err != nil {
		return nil, err
	}
	fitted, err := first.fit(ctx, docs, opts)
	if err != nil || coarser == nil {
		return fitted, err
	}
	err = coarser.add(ctx, fitted, "")
	fitted.Levels, fitted.Manifest.Levels, fitted.levelsTo = coarser.levels, coarser.records, coarser.output
	return fitted, err
}

// setAside puts the vectors that only later fits need into a file until there are topics, where memory is so short that
// the basis was put away. Release removes the file.
func (s *Sketched) setAside(ctx context.Context) (release func(), err error) {
	if s.memory == nil || !s.memory.away || s.Eigen.Leading == nil {
		return func() {}, nil
	}
	return sketch.PutAway(ctx, s.Eigen.Leading, s.run.SpillDir, s.run.Workers)
}

// fit runs the stages after the sketch.
func (s *Sketched) fit(ctx context.Context, docs *corpus.Corpus, opts Options) (*Fitted, error) {
	kept := s.run.kept
	second, err := s.Rectify(ctx, opts)
	if err != nil {
		return nil, err
	}
	kept.reached(rectified, second.snapshot(docs))
	var again *corpus.Corpus // what the only pass has read is not read again
	if docs.Copied() {
		again = docs
	}
	fitted, err := second.anchor(ctx, again, opts)
	if err != nil {
		return nil, err
	}
	if leading := fitted.Eigen.Leading; leading != nil {
		if err := leading.BringBack(); err != nil {
			return nil, err
		}
	}
	kept.reached(anchored, fitted.snapshot(docs))
	switch {
	case kept.past(refined) || !opts.Refines():
	case fitted.memory != nil && fitted.memory.leavesOut():
		fitted.Manifest.RefineNeeds = resident(fitted.memory.refining(limitWorkers))
	default:
		if err := fitted.Refine(ctx, docs, opts); err != nil {
			return nil, err
		}
		kept.reached(refined, fitted.snapshot(docs))
	}
	if !opts.Diagnose || kept.past(diagnosedAll) {
		return fitted, nil
	}
	if fitted.memory != nil && !fitted.memory.diagnosed {
		again = nil
	}
	if err := fitted.diagnose(ctx, again, &opts.Extras); err != nil {
		return nil, err
	}
	kept.reached(diagnosedAll, fitted.snapshot(docs))
	return fitted, nil
}
