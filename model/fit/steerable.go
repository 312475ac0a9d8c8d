// This file reads a model with what its topics were found from, so that they can be changed without the documents.

package fit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"anchorage/anchor"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/model"
)

// Steerable is a model with the rows in which its topics were found. Package steer changes its topics.
type Steerable struct {
	*model.Model
	Rows *anchor.Rows
	// Tokens are the row sums d by which the topics weigh items: p(item | topic) is in proportion to p(topic | item)·d. They are those of
	// whole documents and sum to 1, N values; 0 for items without weight.
	Tokens []float64
	SHA256 string // of the model's manifest.json, in hexadecimal
	// Certain says whether the sampling variances of rows are known, and Guarded whether directions beyond the topics' are: fits
	// without evidence lack the former, and those of a single pass the latter.
	Certain, Guarded bool

	run *Run
}

// LoadSteerable loads a model to be steered. run may be nil. The error is an *InputError, with the fault NoFactor for a model without anchors
// and a factor, or a *shard.Error for a table that cannot be read.
func LoadSteerable(ctx context.Context, path string, run *Run) (*Steerable, error) {
	run = orNew(run)
	defer run.Stage("load")()
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	if m.Manifest.Anchor == nil || !m.HasFactor() {
		return nil, &model.InputError{Path: path, Reason: "is a model without anchors and a factor, which cannot be steered", Fault: model.NoFactor}
	}
	data, err := objects.ReadFile(ctx, objects.Join(path, manifestFile))
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(data)
	s := &Steerable{Model: m, SHA256: hex.EncodeToString(digest[:]), run: run}
	s.countTokens()
	if m.Evidence, err = m.ReadEvidence(ctx); err != nil {
		return nil, err
	}
	s.Certain = m.Evidence != nil
	if err := s.readRows(ctx, path); err != nil {
		return nil, err
	}
	run.found("items", m.Vocabulary.Len(), "topics", m.Topics(), "evidence", s.Certain, "guards", s.Rows.Width()-m.Rank())
	return s, nil
}

// countTokens sets Tokens, Σ_k p(item | k)·p(k).
func (s *Steerable) countTokens() {
	s.Tokens = make([]float64, s.Vocabulary.Len())
	for i := range s.Tokens {
		for k, p := range s.Items.Row(i) {
			s.Tokens[i] += p * s.Shares[k]
		}
	}
	normalize(s.Tokens)
}

// readRows sets Rows.
func (s *Steerable) readRows(ctx context.Context, path string) error {
	y, err := s.ReadFactor(ctx)
	if err != nil {
		return err
	}
	opts := anchor.RowsOptions{RowSums: anchor.RowSumsFactor, Probabilities: s.WeightedProbability, Reliability: s.Reliability, Workers: s.run.Workers}
	if s.Manifest.Anchor.RowSums == "exact" {
		opts.RowSums = anchor.RowSumsExact
	}
	if s.Evidence != nil {
		opts.SamplingVariance = s.Evidence.SamplingVariance
	}
	guards, err := s.readGuards(ctx, path)
	if err != nil {
		return err
	}
	if guards != nil {
		s.Guarded, opts.Guards, opts.GuardValues = true, guards, s.Manifest.Sketch.GuardValues
	}
	s.Rows, err = anchor.NewRows(ctx, y, opts)
	return err
}

// readGuards reads the leading vectors beyond those of the factor; nil if their values are not known.
func (s *Steerable) readGuards(ctx context.Context, path string) (*matrix.Single, error) {
	values, rank := s.Manifest.Sketch.GuardValues, s.Rank()
	if len(values) == 0 {
		return nil, nil
	}
	leading, err := s.ReadLeading(ctx)
	if err != nil || leading == nil {
		return nil, err
	}
	if leading.Cols() < rank+len(values) {
		return nil, &model.InputError{Path: path, Reason: fmt.Sprintf("has a manifest with %d values for %d leading vectors", rank+len(values), leading.Cols())}
	}
	guards := matrix.NewSingle(leading.Rows(), len(values))
	for i := range guards.Rows() {
		copy(guards.Row(i), leading.Row(i)[rank:])
	}
	return guards, nil
}
