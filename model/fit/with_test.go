// This file asks models with and without pairs what goes with items.

package fit_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
)

// A model without pairs recommends by its topics, loaded as fitted; one with pairs uses the counts, and an item without
// any is still answered.
func TestWithAndWithoutPairs(t *testing.T) {
	ctx := context.Background()
	fitted, path := cookbook(t)
	loaded, err := model.Load(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fitted.Loaded().With(t.Context(), []string{"tomato", "basil"}, 5, nil)
	if err != nil || len(want) != 5 {
		t.Fatalf("%v, %v", want, err)
	}
	found, err := loaded.With(t.Context(), []string{"tomato", "basil"}, 5, nil)
	if err != nil || len(found) != len(want) {
		t.Fatalf("%v, %v", found, err)
	}
	for x, c := range found {
		if c.ID != want[x].ID || math.Abs(c.Score-want[x].Score) > 1e-5*c.Score || c.Pairs != 0 || c.Together != 0 ||
			!(c.Lift > 1) {
			t.Errorf("place %d: loaded %+v, fitted %+v", x, c, want[x])
		}
	}
	if _, record, err := loaded.Recommender(ctx); err != nil || record != nil {
		t.Errorf("a record %+v of no pairs, %v", record, err)
	}
	if _, err := loaded.With(t.Context(), []string{"tomatoe"}, 5, nil); !errors.As(err, new(*model.UnknownItemError)) {
		t.Errorf("an unknown item: %v", err)
	}
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Options{Vocabulary: fitted.Vocabulary,
		MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	if fitted.Recommendation, err = fit.Learn(ctx, fitted.Model, docs, fit.RecommendOptions{}); err != nil {
		t.Fatal(err)
	}
	m := fitted.Loaded()
	counted, err := m.With(t.Context(), []string{"tomato", "basil"}, 1, nil)
	if err != nil || len(counted) != 1 || counted[0].Pairs != 2 || counted[0].Together == 0 {
		t.Errorf("with pairs: %+v, %v", counted, err)
	}
	cold, err := m.With(t.Context(), []string{"Saffron"}, 3, nil) // is in none of the documents that were counted
	if err != nil || len(cold) != 3 || cold[0].Pairs != 0 {
		t.Errorf("an item without pairs: %+v, %v", cold, err)
	}
	// Items without counts are compared by their profiles only, others by both.
	for id, same := range map[string]bool{"Saffron": true, "tomato": false} {
		profile, err := loaded.Similar(ctx, id, 3)
		if err != nil {
			t.Fatal(err)
		}
		both, err := m.Similar(ctx, id, 3)
		if err != nil || len(both) != len(profile) {
			t.Fatalf("%v, %v", both, err)
		}
		if equal := math.Abs(both[0].Similarity-profile[0].Similarity) < 1e-5; equal != same {
			t.Errorf("%s: %+v by both, %+v by the profile", id, both, profile)
		}
	}
}
