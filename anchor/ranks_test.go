// This file tests the inference on factors whose rows several ranks share.

package anchor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/matrix"
)

// sharedPart returns the rows of a whole matrix that the rank of ctx has.
func sharedPart(ctx context.Context, whole *matrix.Tall) *matrix.Tall {
	part := matrix.NewShared[float64](collective.From(ctx).Layout(), whole.Rows(), whole.Cols())
	first, last := part.HeldRows()
	for i := first; i < last; i++ {
		copy(part.Row(i), whole.Row(i))
	}
	return part
}

// figures writes all that every rank has of some topics, to the last bit.
func figures(t *Topics) string {
	return fmt.Sprintf("%v %x %x %v %x %x %x %x %x %+v", t.Anchors, t.Pivots, t.Margins, t.Certain,
		t.Reliability, t.RowSums, t.Masses,
		t.Prior, t.TopicJoint, t.Stats)
}

// derived writes what methods say of topics.
func derived(ctx context.Context, t *Topics, p []float64) (string, error) {
	prominent, err := t.Prominent(ctx, p, 0.6, 12)
	if err != nil {
		return "", err
	}
	characteristic := make([]float64, len(t.RowSums))
	if err := t.CharacteristicRow(ctx, characteristic, 1); err != nil {
		return "", err
	}
	if err := kernel.Complete(ctx, t.Mixtures.Layout(), characteristic); err != nil {
		return "", err
	}
	found, err := t.Findings(ctx, p, p, 1, 10)
	if err != nil {
		return "", err
	}
	again := *t
	again.Prior = slices.Clone(t.Prior)
	err = again.Reweigh(ctx)
	return fmt.Sprintf("%v %v %+v %x", prominent, characteristic, found, again.Masses), err
}

// sameTopics returns an error unless topics of this rank have the bits of others, which are whole.
func sameTopics(ctx context.Context, got, want *Topics, p []float64) error {
	first, last := got.Mixtures.HeldRows()
	for i := first; i < last; i++ {
		if !slices.Equal(got.Mixtures.Row(i), want.Mixtures.Row(i)) {
			return fmt.Errorf("the mixture of item %d is %v, not %v", i, got.Mixtures.Row(i), want.Mixtures.Row(i))
		}
	}
	if figures(got) != figures(want) {
		return errors.New("the figures differ")
	}
	a, err := derived(ctx, got, p)
	if err != nil {
		return err
	}
	b, err := derived(ctx, want, p)
	if err == nil && a != b {
		err = errors.New("what methods say differs")
	}
	return err
}

// Topics have the same bits for any number of ranks, those without items among them.
func TestLAWSameBitsForAnyRanks(t *testing.T) {
	for _, size := range []struct {
		items int
		rough float64
	}{{40_000, 0.1}, {900, 0.2}} {
		const k = 4
		if !long.Tier() {
			size.items = min(size.items, 3*matrix.BlockRows+100)
		}
		model := plant(random(11), size.items, k)
		y := tallOf(disturb(random(12), model.y, size.rough))
		noise, frequency := make([]float64, size.items), make([]int64, size.items)
		for i := range noise {
			noise[i] = 1e-3 * float64(i%7) / float64(size.items)
			frequency[i] = int64(i % 100)
		}
		noise[5] = math.Inf(1)
		weightless := slices.Clone(model.rowSums)
		weightless[3], weightless[size.items/2] = 0, 0
		for name, c := range map[string]struct {
			opts    Options
			rowSums []float64
			ranks   []int
		}{
			"exact":  {Options{RowSums: RowSumsExact}, weightless, []int{5, 1, 2, 12}},
			"factor": {Options{}, nil, []int{3}},
			"min df": {Options{RowSums: RowSumsExact, MinDF: 20, DocumentFrequency: frequency, Topics: 3},
				model.rowSums, []int{5}},
			"fixed": {Options{RowSums: RowSumsExact, Polish: true, Fixed: [][]int{{model.anchor[2]}, {model.anchor[0], 7}},
				Banned: []int{9}},
				model.rowSums, []int{3}},
			"polish": {Options{Polish: true}, nil, []int{2}},
			"noise":  {Options{RowSums: RowSumsExact, Polish: true, SamplingVariance: noise}, model.rowSums, []int{3, 12}},
		} {
			t.Run(fmt.Sprintf("%d items/%s", size.items, name), func(t *testing.T) {
				if c.opts.Workers = 2; !long.Tier() {
					c.ranks = c.ranks[:1]
				}
				want, err := LAW(t.Context(), y, c.rowSums, c.opts)
				if err != nil {
					t.Fatal(err)
				}
				for _, ranks := range c.ranks {
					err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
						got, err := LAW(ctx, sharedPart(ctx, y), c.rowSums, c.opts)
						if err != nil {
							return err
						}
						return sameTopics(ctx, got, want, model.rowSums)
					})
					if err != nil {
						t.Errorf("%d ranks: %v", ranks, err)
					}
				}
			})
		}
	}
}

// A factor of lower rank than it has columns changes coordinates to fewer, on all ranks.
func TestLAWOfDependentColumnsForAnyRanks(t *testing.T) {
	model := plant(random(5), 2*matrix.BlockRows+9, 3)
	y := matrix.NewTall(len(model.rowSums), 4)
	for i := range model.rowSums {
		row := y.Row(i)
		for j := range 3 {
			row[j] = model.y.At(i, j)
		}
		row[3] = row[0] + row[1]
	}
	opts := Options{Topics: 3, Workers: 1}
	want, err := LAW(t.Context(), y, nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	err = collective.Together(t.Context(), 2, func(ctx context.Context) error {
		got, err := LAW(ctx, sharedPart(ctx, y), nil, opts)
		if err != nil {
			return err
		}
		return sameTopics(ctx, got, want, model.rowSums)
	})
	if err != nil {
		t.Error(err)
	}
}

// Every rank gets the error that concerns all, and the one whose item is at fault ends the job with that.
func TestErrorsOfRanks(t *testing.T) {
	model := plant(random(5), 3*matrix.BlockRows, 3)
	y := tallOf(model.y)
	err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		_, err := LAW(ctx, sharedPart(ctx, y), nil, Options{MinDF: 2, DocumentFrequency: make([]int64, y.Rows())})
		if few := new(RankError); !errors.As(err, &few) {
			return fmt.Errorf("rank %d: %v", collective.From(ctx).Rank(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	const wrong = 2*matrix.BlockRows + 5
	y.Row(wrong)[1] = math.NaN()
	err = collective.Together(t.Context(), 3, func(ctx context.Context) error {
		// another rank has the name
		_, err := LAW(ctx, sharedPart(ctx, y), nil, Options{Name: func(int) string { return "" }})
		return err
	})
	item := new(ItemError)
	if !errors.As(err, &item) || item.Fault != BadValue || item.Items[0] != wrong ||
		err.Error() != fmt.Sprintf("anchor: item %d: its row of the factor holds NaN", wrong) {
		t.Errorf("the job ends with %v", err)
	}
}
