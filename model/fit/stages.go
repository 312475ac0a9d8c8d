// This file saves and loads the results of the first two stages, and takes what the stages have found to a checkpoint
// and back.

package fit

import (
	"cmp"
	"context"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/collective"
	"anchorage/matrix"
	"anchorage/model"
)

// SaveTo writes the sketch into a directory that model.Create began, and completes it. A dense C cannot be saved.
func (s *Sketched) SaveTo(out *model.Output) error {
	return orNew(s.run).save(s.Model, out)
}

// SaveTo writes the factor into a directory that model.Create began, and completes it. A factor that no run made can be
// saved too; a dense C cannot.
func (r *Rectified) SaveTo(out *model.Output) error {
	return orNew(r.run).save(r.Model, out)
}

// LoadSketched loads a saved sketch. run is the Run of the stages to come; it may be nil.
func LoadSketched(ctx context.Context, path string, run *Run) (*Sketched, error) {
	run = orNew(run)
	m, err := run.load(ctx, path, model.KindSketch)
	if err != nil {
		return nil, err
	}
	return &Sketched{Model: m, run: run}, nil
}

// LoadRectified loads a saved factor. run is the Run of the stage to come; it may be nil.
func LoadRectified(ctx context.Context, path string, run *Run) (*Rectified, error) {
	run = orNew(run)
	m, err := run.load(ctx, path, model.KindFactor)
	if err != nil {
		return nil, err
	}
	return &Rectified{Model: m, run: run}, nil
}

// load loads a saved sketch or factor.
func (r *Run) load(ctx context.Context, path, kind string) (*model.Model, error) {
	defer r.Stage("load")()
	m, err := model.LoadStage(ctx, path, kind)
	if err == nil {
		r.found("items", m.Vocabulary.Len(), "topics", len(m.Eigen.Values))
	}
	return m, err
}

func orNew(run *Run) *Run { return cmp.Or(run, new(Run)) }

// Create is model.Create for the result of the run, which logs requests to stores that are tried again.
func (r *Run) Create(ctx context.Context, path string) (*model.Output, error) {
	r.ranks = collective.From(ctx)
	return model.Create(ctx, path, r.Log)
}

// save writes a result, in the stage "write" of the run.
func (r *Run) save(m *model.Model, out *model.Output) error {
	end := r.Stage("write")
	defer end()
	return m.SaveTo(out, model.Saving{Progress: func(done, total int64) { r.progress("writing", done, total) },
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

// position is where a fit is: what it has done, or in which stage it is.
type position string

// The positions, in their order.
const (
	accumulated  position = "accumulated" // the first of several passes is over
	krylov       position = "krylov"      // in the Krylov method
	eigenpairs   position = "eigenpairs"  // but no evidence yet
	sketched     position = "sketched"
	rectifying   position = "rectifying"
	rectified    position = "rectified"
	anchored     position = "anchored"
	refining     position = "refining"
	refined      position = "refined"
	diagnosedAll position = "diagnosed"
	solved       position = "solved" // a level is complete
)

var positions = []position{accumulated, krylov, eigenpairs, sketched, rectifying, rectified, anchored, refining,
	refined, diagnosedAll, solved}

// snapshot is what is needed of finished stages: of a model what they have found, and what is not a model's. What a
// stage uses up is nil after it. The vocabulary is that of a single pass, which has found it; otherwise it comes with
// the documents.
type snapshot struct {
	model.Model
	account   corpus.Account
	product   *matrix.Tall // M·C·Ω
	dense     *matrix.Tall // C
	topics    *anchor.Topics
	relevance float64
	workers   int
}

// checkpoint takes the snapshot to a checkpoint or from one.
func (s *snapshot) checkpoint(v *checkpoint.Values) {
	v.JSON(&s.Manifest)
	v.JSON(&s.account)
	v.Take(&s.Vocabulary, &s.Marginals, &s.Eigen, &s.Evidence, &s.product, &s.dense, &s.Factor, &s.topics, &s.relevance,
		&s.Characteristic, &s.Course, &s.Diagnostics)
	if v.Reading() && s.topics != nil {
		s.topics.In(s.Factor, s.dense, s.workers)
	}
}

// snapshotOf returns what stages have found of a model, and a dense C.
func snapshotOf(m *model.Model, dense *matrix.Tall, docs *corpus.Corpus) snapshot {
	s := snapshot{Model: *m, account: docs.Account, dense: dense}
	if docs.Copied() {
		s.Vocabulary = nil
	}
	return s
}

// snapshot returns what the first stage has found.
func (s *Sketched) snapshot(docs *corpus.Corpus) snapshot { return snapshotOf(s.Model, s.dense, docs) }

// snapshot returns what the first two stages have found.
func (r *Rectified) snapshot(docs *corpus.Corpus) snapshot { return snapshotOf(r.Model, r.dense, docs) }

// snapshot returns everything that was found.
func (f *Fitted) snapshot(docs *corpus.Corpus) snapshot {
	of := snapshotOf(f.Model, nil, docs)
	of.topics, of.relevance = f.Topics, f.relevance
	return of
}

// model returns what a checkpoint has of a model of the given items.
func (s *snapshot) model(v *corpus.Vocabulary) *model.Model {
	m := s.Model
	m.Vocabulary = v
	return &m
}
