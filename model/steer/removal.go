// This file takes items from topics: bans and removals, after which topics need other anchors.

package steer

import (
	"context"
	"slices"
)

func (s *Session) ban(ctx context.Context, at *state, step *Step) error {
	items, err := s.items(at, step)
	if err != nil {
		return err
	}
	if step.Scope == InLists {
		for _, i := range items {
			at.hidden[i] = true
		}
		return nil
	}
	if err := s.unseeded(at, step, items); err != nil {
		return err
	}
	for _, i := range items {
		at.banned[i] = true
	}
	return s.reanchorAll(ctx, at, step, items, true)
}

// unseeded refuses a step that takes items from which a seed makes a topic.
func (s *Session) unseeded(at *state, step *Step, items []int) error {
	for _, i := range items {
		for t := range at.topics {
			if slices.Contains(at.topics[t].seed, i) {
				return step.fail("item %.80q is in the seed of %s", s.base.Vocabulary.ID(i), at.topics[t].label())
			}
		}
	}
	return nil
}

// reanchorAll finds other anchors for all topics whose anchors are among some items.
func (s *Session) reanchorAll(ctx context.Context, at *state, step *Step, items []int, moves bool) error {
	mixtures := s.mixer(at)
	for t := range at.topics {
		of := &at.topics[t]
		if !slices.Contains(items, of.anchor) {
			continue
		}
		if err := of.loose(step); err != nil {
			return err
		}
		shares, err := mixtures.group(ctx, t)
		if err != nil {
			return err
		}
		if err := s.reanchor(ctx, at, step, of, shares, moves); err != nil {
			return err
		}
	}
	return nil
}

// reanchor finds another anchor for a topic whose anchor cannot be one any more, among the items that are mainly of the
// topic. With moves, the corner becomes the mean row of those that belong to it, without banned ones.
func (s *Session) reanchor(ctx context.Context, at *state, step *Step, t *topic, shares []float64, moves bool) error {
	candidate := s.candidates(at, shares)
	if len(t.seed) == 0 {
		found, err := s.best(ctx, shares, candidate)
		if err != nil {
			return err
		}
		if found < 0 {
			return step.fail("%s has no other item that could be its anchor: merge it with another topic first", t.label())
		}
		if err := s.setAnchor(ctx, t, found); err != nil {
			return err
		}
	}
	if !moves {
		return nil
	}
	means, _, err := s.base.Rows.Means(ctx, 1, func(i int) int {
		if shares[i] >= belongs && candidate(i) {
			return 0
		}
		return -1
	})
	if err != nil {
		return err
	}
	corner := means[0]
	if corner == nil {
		if corner, err = s.base.Rows.Tandem(ctx, []int{t.anchor}); err != nil {
			return err
		}
	}
	return s.replace(ctx, at, step, t, corner)
}

// candidates reports which items could be anchors of a topic with the given shares.
func (s *Session) candidates(at *state, shares []float64) func(i int) bool {
	least := s.base.Manifest.Anchor.AnchorMinDF
	return func(i int) bool {
		return s.base.Rows.Weight(i) > 0 && !at.banned[i] && !at.removed[i] && s.base.DocumentFrequency[i] >= least &&
			shares[i] >= mainly
	}
}

// best returns, of some items, the one of which most tokens are surely of a topic, −1 for none.
func (s *Session) best(ctx context.Context, shares []float64, allowed func(i int) bool) (int, error) {
	best, score := -1, 0.0
	for i := range s.base.Rows.Len() {
		if !allowed(i) {
			continue
		}
		share := shares[i]
		if value := s.base.Rows.Reliability(i) * share * share * share * s.base.WeightedProbability[i]; value > score {
			best, score = i, value
		}
	}
	return best, ctx.Err()
}

func (s *Session) remove(ctx context.Context, at *state, step *Step) error {
	items, err := s.items(at, step)
	if err != nil {
		return err
	}
	if err := s.unseeded(at, step, items); err != nil {
		return err
	}
	for _, i := range items {
		at.removed[i] = true
	}
	if left := s.base.Vocabulary.Len() - len(at.removed); left < 2 {
		return step.fail("%d items would be left", left)
	}
	return s.reanchorAll(ctx, at, step, items, false)
}
