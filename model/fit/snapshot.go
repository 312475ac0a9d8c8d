// This file takes what the stages of a fit have found to a checkpoint and back.

package fit

import (
	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/sketch"
)

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
	eigen     sketch.Eigen // without vectors after the first stage
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
	v.Take(&s.Vocabulary, &s.Marginals, &s.eigen, &s.Evidence, &s.product, &s.dense, &s.Factor, &s.topics, &s.relevance,
		&s.Characteristic, &s.Course, &s.Diagnostics)
	if v.Reading() && s.topics != nil {
		s.topics.In(s.Factor, s.dense, s.workers)
	}
}

// snapshotOf returns what stages have found of a model.
func snapshotOf(m *model.Model, docs *corpus.Corpus) snapshot {
	s := snapshot{Model: *m, account: docs.Account, eigen: sketch.Eigen{Values: m.Eigenvalues, Residuals: m.Residuals,
		Leading: m.Leading}}
	if docs.Copied() {
		s.Vocabulary = nil
	}
	return s
}

// snapshot returns what the first stage has found.
func (s *Sketched) snapshot(docs *corpus.Corpus) snapshot {
	of := snapshotOf(s.Model, docs)
	of.eigen, of.dense = s.Eigen, s.dense
	return of
}

// snapshot returns what the first two stages have found.
func (r *Rectified) snapshot(docs *corpus.Corpus) snapshot {
	of := snapshotOf(r.Model, docs)
	of.dense = r.dense
	return of
}

// snapshot returns everything that was found.
func (f *Fitted) snapshot(docs *corpus.Corpus) snapshot {
	of := snapshotOf(f.Model, docs)
	of.topics, of.relevance = f.Topics, f.relevance
	return of
}

// model returns what a checkpoint has of a model of the given items.
func (s *snapshot) model(v *corpus.Vocabulary) *model.Model {
	m := s.Model
	m.Vocabulary, m.Eigenvalues, m.Residuals, m.Leading = v, s.eigen.Values, s.eigen.Residuals, s.eigen.Leading
	return &m
}
