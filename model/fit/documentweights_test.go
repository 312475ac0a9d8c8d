// This file holds topics of short documents against the ones that they were drawn from.

package fit

import (
	"errors"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
)

// TestShortDocuments wants topics of documents of all lengths to be much nearer to the truth when short documents count
// less, and the model to say how they counted.
func TestShortDocuments(t *testing.T) {
	of := synth.Model{Items: 600, Topics: 10, Documents: 12_000, Tokens: 15, Seed: 2}
	drawn, truth := of.Draw()
	docs, err := corpus.FromDocuments(t.Context(), named(drawn, synth.ItemID), corpus.Options{Pruning: corpus.Pruning{MinDF: 1,
		MaxDFRatio: 1}, MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	measured := make(map[DocumentWeights]float64)
	for _, weights := range []DocumentWeights{WeightsEqual, WeightsLength} {
		opts := Options{Topics: of.Topics, Seed: 1}
		opts.Sketch.DocumentWeights, opts.Refine.Passes = weights, NoRefinement
		m := mustFit(t, docs, opts).Loaded()
		if prior := m.Manifest.Sketch.PairPrior; (prior > 0) != (weights == WeightsLength) {
			t.Errorf("%s: the model says %v", weights, prior)
		}
		items, err := synth.ItemsOf(m.Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		measured[weights] = truth.Recover(synth.Estimate{Items: items, Correlations: m.TopicJoint,
			Row: func(dst []float64, r int) { copy(dst, m.Items.Row(r)) }}).ErrorB
	}
	t.Logf("errors %v", measured)
	if measured[WeightsLength] > 0.8*measured[WeightsEqual] {
		t.Errorf("errors %v: short documents should count less", measured)
	}
	var option *model.OptionError
	if _, err := Fit(t.Context(), docs, Options{Topics: 4, Sketch: SketchOptions{DocumentWeights: "log"}}); !errors.As(err,
		&option) || option.Option != "Sketch.DocumentWeights" {
		t.Errorf("unknown weights: %v", err)
	}
}
