// This file defines the options about rare and frequent items: how items weigh in documents, and how the rectification
// normalizes co-occurrences.

package fit

import (
	"errors"
	"math"
	"slices"

	"anchorage/corpus"
)

// ItemWeights says how items are weighted in documents.
type ItemWeights string

const (
	// WeightsAuto is WeightsIDF if the vocabulary is counted before the first pass, otherwise WeightsNone.
	WeightsAuto ItemWeights = "auto"
	// WeightsIDF gives item i the weight ln(2·D/df_i), where D is the greatest df: its inverse document frequency.
	WeightsIDF ItemWeights = "idf"
	// WeightsNone gives all items the same weight.
	WeightsNone ItemWeights = "none"
)

// DocumentWeights says how documents weigh in co-occurrences.
type DocumentWeights string

const (
	// WeightsLength gives a document of t tokens the weight t(t−1)/(t(t−1)+100): short ones count less, and from a few
	// dozen tokens on all count nearly alike. See sketch.Options.PairPrior.
	WeightsLength DocumentWeights = "length"
	// WeightsEqual gives all documents the same weight, as published.
	WeightsEqual DocumentWeights = "equal"
)

// pairPrior is the κ of WeightsLength: at 10 tokens a document weighs half.
const pairPrior = 100

// prior returns κ.
func (w DocumentWeights) prior() float64 {
	if w == WeightsEqual {
		return 0
	}
	return pairPrior
}

// Normalization says how the rectification makes the sum of all co-occurrences 1.
type Normalization string

const (
	// NormalizeMarginal adds an amount proportional to p_i·p_j to entry (i, j).
	NormalizeMarginal Normalization = "marginal"
	// NormalizeUniform adds the same amount to every entry, as published.
	NormalizeUniform Normalization = "uniform"
)

// ErrUncounted reports that items cannot be weighted because they have no counts.
var ErrUncounted = errors.New("items cannot be weighted by idf: the vocabulary has no counts before the first pass")

// weigh returns ω for the items of a vocabulary, nil if all are 1, and the weights that were chosen.
//
// The idf uses twice the greatest df instead of the number of documents. So the most frequent item has a positive
// weight, ln 2, and the weights depend only on the vocabulary, which all sketches to be merged share.
func (w ItemWeights) weigh(v *corpus.Vocabulary) ([]float64, ItemWeights, error) {
	counted := v != nil && v.Counted && v.Len() > 0
	switch {
	case w == WeightsNone, !counted && (w == WeightsAuto || w == ""):
		return nil, WeightsNone, nil
	case w != WeightsIDF && w != WeightsAuto && w != "":
		return nil, w, badOption("Sketch.ItemWeights", "unknown item weights %q", w)
	case !counted:
		return nil, w, ErrUncounted
	}
	greatest := max(slices.Max(v.DocumentFrequency), 1)
	weights := make([]float64, v.Len())
	for i, df := range v.DocumentFrequency {
		weights[i] = math.Log(2 * float64(greatest) / float64(max(df, 1)))
	}
	return weights, WeightsIDF, nil
}
