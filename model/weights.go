// This file holds the choices about rare and frequent items: how items weigh in documents, and what is added to
// co-occurrences for their sum to be 1.

package model

import (
	"anchorage/corpus"
	"errors"
	"math"
)

// ItemWeights says how items weigh.
type ItemWeights string

const (
	// WeightsAuto is WeightsIDF where the vocabulary has been counted before the first pass, else WeightsNone.
	WeightsAuto ItemWeights = "auto"
	// WeightsIDF weighs item i by ln(2·D/df_i), D the greatest df: its inverse document frequency.
	WeightsIDF ItemWeights = "idf"
	// WeightsNone weighs all items alike.
	WeightsNone ItemWeights = "none"
)

// Normalization says what is added to rectified co-occurrences for their sum to be 1.
type Normalization string

const (
	// NormalizeMarginal adds in proportion to p_i·p_j.
	NormalizeMarginal Normalization = "marginal"
	// NormalizeUniform adds the same to every pair, as published.
	NormalizeUniform Normalization = "uniform"
)

// ErrUncounted reports that there are no counts to weight items by.
var ErrUncounted = errors.New("items cannot be weighted by idf: the vocabulary has no counts before the first pass")

// weigh returns ω for the items of a vocabulary, nil for 1 each, and what was chosen.
//
// The idf has twice the greatest df in place of the number of documents: so the most frequent item still has a weight, ln 2,
// and the weights depend on the vocabulary alone, which sketches that are to be merged share.
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
	greatest := int64(1)
	for _, df := range v.DocumentFrequency {
		greatest = max(greatest, df)
	}
	weights := make([]float64, v.Len())
	for i, df := range v.DocumentFrequency {
		weights[i] = math.Log(2 * float64(greatest) / float64(max(df, 1)))
	}
	return weights, WeightsIDF, nil
}
