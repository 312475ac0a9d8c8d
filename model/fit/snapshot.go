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

var positions = []position{accumulated, krylov, eigenpairs, sketched, rectifying, rectified, anchored, refining, refined, diagnosedAll, solved}

// snapshot is what is needed of finished stages. What a stage uses up is nil after it.
type snapshot struct {
	manifest model.Manifest
	account  corpus.Account
	// vocabulary is that of a single pass, which has found it; otherwise it comes with the documents.
	vocabulary *corpus.Vocabulary
	marginals  sketch.Marginals
	evidence   *sketch.Evidence
	eigen      sketch.Eigen // without vectors after the first stage
	norms      *sketch.PairNorms
	squares    []float64    // ‖C·Ω_j‖²
	product    *matrix.Tall // M·C·Ω
	dense      *matrix.Tall // C
	factor     *matrix.Tall // Y

	topics         *anchor.Topics
	relevance      float64
	characteristic [][]model.Listed
	course         []model.Course
	diagnostics    *model.Diagnostics
	workers        int
}

// checkpoint takes the snapshot to a checkpoint or from one.
func (s *snapshot) checkpoint(v *checkpoint.Values) {
	v.JSON(&s.manifest)
	v.JSON(&s.account)
	v.Take(&s.vocabulary, &s.marginals, &s.eigen, &s.evidence, &s.norms, &s.squares, &s.product, &s.dense, &s.factor, &s.topics,
		&s.relevance, &s.characteristic, &s.course, &s.diagnostics)
	if v.Reading() && s.topics != nil {
		s.topics.In(s.factor, s.dense, s.workers)
	}
}

// foundItems returns the vocabulary of a corpus of which a single pass has found it, else nil.
func foundItems(docs *corpus.Corpus) *corpus.Vocabulary {
	if docs.Copied() {
		return nil
	}
	return docs.Vocabulary
}

// snapshot returns what the first stage has found.
func (s *Sketched) snapshot(docs *corpus.Corpus) snapshot {
	return snapshot{manifest: s.Manifest, account: docs.Account, vocabulary: foundItems(docs), marginals: s.Marginals, evidence: s.Evidence, eigen: s.Eigen, dense: s.dense}
}

// restore sets what the first stage has found.
func (s *Sketched) restore(from *snapshot, docs *corpus.Corpus) {
	s.Manifest, s.Marginals, s.Evidence, s.Eigen, s.dense = from.manifest, from.marginals, from.evidence, from.eigen, from.dense
	docs.Account = from.account
	if s.memory != nil {
		s.memory.passes = s.Manifest.Sketch.Passes
	}
}

// snapshot returns what the first two stages have found.
func (r *Rectified) snapshot(docs *corpus.Corpus) snapshot {
	return snapshot{manifest: r.Manifest, account: docs.Account, vocabulary: foundItems(docs), marginals: r.Marginals, evidence: r.Evidence,
		eigen: sketch.Eigen{Values: r.Eigenvalues, Residuals: r.Residuals, Leading: r.Leading}, dense: r.dense, factor: r.Factor, course: r.Course}
}

// snapshot returns everything that was found.
func (f *Fitted) snapshot(docs *corpus.Corpus) snapshot {
	return snapshot{manifest: f.Manifest, account: docs.Account, vocabulary: foundItems(docs), marginals: f.Marginals, evidence: f.Evidence,
		eigen: sketch.Eigen{Values: f.Eigenvalues, Residuals: f.Residuals, Leading: f.Leading}, factor: f.Factor,
		topics: f.Topics, relevance: f.relevance, characteristic: f.Characteristic, course: f.Course, diagnostics: f.Diagnostics}
}

// model returns what a checkpoint has of a model of the given items.
func (s *snapshot) model(v *corpus.Vocabulary) *model.Model {
	return &model.Model{Manifest: s.manifest, Vocabulary: v, Marginals: s.marginals, Evidence: s.evidence, Eigenvalues: s.eigen.Values, Residuals: s.eigen.Residuals,
		Factor: s.factor, Course: s.course, Leading: s.eigen.Leading, Characteristic: s.characteristic, Diagnostics: s.diagnostics}
}

// restored returns the result of the second stage that a checkpoint has.
func (s *Sketched) restored() *Rectified {
	from := s.run.kept.from
	return &Rectified{Model: from.model(s.Vocabulary), dense: from.dense, run: s.run, memory: s.memory, begun: s.begun}
}

// restored returns the topics that a checkpoint has.
func (r *Rectified) restored() *Fitted {
	from := r.run.kept.released()
	f := newFitted(from.model(r.Vocabulary), r.run)
	f.Topics, f.memory, f.begun, f.relevance = from.topics, r.memory, r.begun, from.relevance
	return f
}
