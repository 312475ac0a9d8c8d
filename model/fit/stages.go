// This file saves and loads the results of the first two stages.

package fit

import (
	"context"

	"anchorage/internal/collective"
	"anchorage/model"
)

// SaveTo writes the sketch into a directory that model.Create began, and completes it. A dense C cannot be saved.
func (s *Sketched) SaveTo(out *model.Output) error {
	return orNew(s.run).saving(func(how model.Saving) error {
		if s.sums != nil || s.basis != nil {
			return s.SaveRound(out, s.sums, s.basis, how)
		}
		return s.SaveSketch(out, &s.Eigen, how)
	})
}

// SaveTo writes the factor into a directory that model.Create began, and completes it. A factor that no run made can be
// saved too; a dense C cannot.
func (r *Rectified) SaveTo(out *model.Output) error {
	return orNew(r.run).saving(func(how model.Saving) error { return r.SaveFactor(out, how) })
}

// LoadSketched loads a saved sketch. run is the Run of the stages to come; it may be nil.
func LoadSketched(ctx context.Context, path string, run *Run) (*Sketched, error) {
	run = orNew(run)
	defer run.Stage("load")()
	m, eigen, err := model.LoadSketch(ctx, path)
	if err != nil {
		return nil, err
	}
	run.found("items", m.Vocabulary.Len(), "topics", len(eigen.Values))
	return &Sketched{Model: m, Eigen: *eigen, run: run, path: path}, nil
}

// LoadRectified loads a saved factor. run is the Run of the stage to come; it may be nil.
func LoadRectified(ctx context.Context, path string, run *Run) (*Rectified, error) {
	run = orNew(run)
	defer run.Stage("load")()
	m, err := model.LoadFactor(ctx, path)
	if err != nil {
		return nil, err
	}
	run.found("items", m.Vocabulary.Len(), "topics", len(m.Eigenvalues))
	return &Rectified{Model: m, run: run}, nil
}

func orNew(run *Run) *Run {
	if run == nil {
		return new(Run)
	}
	return run
}

// Create is model.Create for the result of the run, which logs requests to stores that are tried again.
func (r *Run) Create(ctx context.Context, path string) (*model.Output, error) {
	r.ranks = collective.From(ctx)
	return model.Create(ctx, path, r.Log)
}

// save creates a directory at path and saves into it.
func save(ctx context.Context, path string, run *Run, into func(*model.Output) error) error {
	out, err := orNew(run).Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	return into(out)
}

// saving calls write, the stage "write" of the run, which writes a result.
func (r *Run) saving(write func(model.Saving) error) error {
	end := r.Stage("write")
	defer end()
	return write(model.Saving{Progress: func(done, total int64) {
		r.progress("writing", done, total)
	},
		Written: func(ctx context.Context, tables int) (any, error) {
			r.found("tables", tables)
			end()
			if r.ranks == nil {
				r.ranks = collective.From(ctx)
			}
			if err := r.gatherRecord(ctx); err != nil {
				return nil, err
			}
			return r.Record(), nil
		}})
}
