package fit

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// On documents drawn from known topics, what a model says of whole documents is nearer to the truth than what the fit
// found for thinned ones.
func TestModelDescribesWholeDocuments(t *testing.T) {
	long.Test(t, "it measures errors over 6,000 documents")
	drawn := synth.Model{Items: 400, Topics: 5, Documents: 6000, Tokens: 60, Concentration: 0.1, Seed: 3}
	folder := t.TempDir()
	writeDrawn(t, filepath.Join(folder, "a.parquet"), "%d", drawn)
	_, truth := drawn.Draw()
	docs := openCorpus(t, 0, nil, filepath.Join(folder, "a.parquet"))
	f, err := Fit(context.Background(), docs, Options{Topics: 5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := f.Loaded()
	items := make([]int32, m.Vocabulary.Len())
	for i := range items {
		if _, err := fmt.Sscan(m.Vocabulary.ID(i), &items[i]); err != nil {
			t.Fatal(err)
		}
	}
	whole := truth.Recover(synth.Estimate{Items: items, Row: m.ItemRow, Correlations: m.TopicJoint, Anchors: m.Anchors})
	thinned := truth.Recover(synth.Estimate{Items: items, Row: f.Topics.BRow, Correlations: f.Topics.TopicJoint,
		Anchors: m.Anchors})
	if !(whole.ErrorB < 0.7*thinned.ErrorB) || whole.Anchors != 1 {
		t.Errorf("the error of B is %.3f, and of thinned documents %.3f; anchors found: %.2f", whole.ErrorB,
			thinned.ErrorB, whole.Anchors)
	}
}
