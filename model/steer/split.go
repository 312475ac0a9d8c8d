// This file makes two topics of one, and takes items from topics: bans and removals, after which topics need other
// anchors.

package steer

import (
	"context"
	"slices"
)

func (s *Session) split(ctx context.Context, at *state, step *Step) error {
	place, err := at.find(step, step.Topics[0])
	if err != nil {
		return err
	}
	if err := at.topics[place].loose(step); err != nil {
		return err
	}
	if len(at.topics[place].corners) > 1 {
		return s.part(ctx, at, place)
	}
	shares, err := s.mixer(at).group(ctx, place)
	if err != nil {
		return err
	}
	far, err := at.hull.Farthest(ctx, s.candidates(at, shares))
	if err != nil {
		return err
	}
	if far.Item < 0 {
		return step.fail("%s has no item that is mainly of it and could be the anchor of a part", at.topics[place].label())
	}
	parts, err := s.halve(ctx, at, place, far.Item, shares)
	if err != nil {
		return err
	}
	if sameCorners(parts[0], parts[1]) {
		return step.fail("the items of %s occur beside the same items: nothing distinguishes two parts",
			at.topics[place].label())
	}
	t := &at.topics[place]
	t.seed = nil
	first, err := s.move(ctx, at, step, t.corners, parts)
	if err != nil {
		return err
	}
	t.corners = []int{first}
	part := topic{id: at.nextID, of: -1, corners: []int{first + 1}}
	at.nextID++
	if err := s.setAnchor(ctx, &part, far.Item); err != nil {
		return err
	}
	part.pivot = far.Distance
	at.topics = append(at.topics, part)
	return nil
}

// part makes a topic of the corner of a merged topic that is farthest from the mean of the others.
func (s *Session) part(ctx context.Context, at *state, place int) error {
	t := &at.topics[place]
	far, most := 0, -1.0
	for c, id := range t.corners {
		distance := 0.0
		for j, v := range at.hull.Corner(id) {
			mean := 0.0
			for _, other := range t.corners {
				if other != id {
					mean += at.hull.Corner(other)[j] / float64(len(t.corners)-1)
				}
			}
			distance += (v - mean) * (v - mean)
		}
		if distance >= most {
			far, most = c, distance
		}
	}
	id := t.corners[far]
	t.corners, t.seed = slices.Delete(slices.Clone(t.corners), far, far+1), nil
	at.topics = append(at.topics, topic{id: at.nextID, of: -1, corners: []int{id}})
	at.nextID++
	if id < len(at.heir) {
		at.heir[id] = len(at.topics) - 1
	}
	for _, k := range []int{place, len(at.topics) - 1} {
		shares, err := s.mixer(at).group(ctx, k)
		if err != nil {
			return err
		}
		anchor, err := s.best(ctx, shares, s.candidates(at, shares))
		if err != nil {
			return err
		}
		if anchor < 0 {
			anchor = at.topics[place].anchor
		}
		if k == place && shares[at.topics[k].anchor] >= mainly {
			continue
		}
		if err := s.setAnchor(ctx, &at.topics[k], anchor); err != nil {
			return err
		}
	}
	return nil
}

// halve returns the mean rows of two parts of a topic: of the items that belong to it, those that are nearer to what is
// left and those nearer to a pivot. If one part has no items, they are the topic's corner and the row of the pivot.
func (s *Session) halve(ctx context.Context, at *state, place, pivot int, shares []float64) ([][]float64, error) {
	corner, err := s.base.Rows.Tandem(ctx, []int{pivot})
	whole := [][]float64{at.hull.Corner(at.topics[place].corners[0]), corner}
	if err != nil {
		return nil, err
	}
	mine := func(i int) bool {
		return i == pivot || shares[i] >= belongs && !at.removed[i] && s.base.Rows.Weight(i) > 0
	}
	centres, _, err := s.base.Rows.Means(ctx, 1, func(i int) int {
		if mine(i) {
			return 0
		}
		return -1
	})
	if err != nil {
		return nil, err
	}
	if centres = append(centres, corner); centres[0] == nil {
		return whole, nil
	}
	for range halvings {
		means, weights, err := s.base.Rows.Means(ctx, 2, func(i int) int {
			if !mine(i) {
				return -1
			}
			return s.base.Rows.Nearer(i, centres[0], centres[1])
		})
		if err != nil {
			return nil, err
		}
		if !(weights[0] > 0 && weights[1] > 0) {
			return whole, nil
		}
		centres = means
	}
	return centres, nil
}

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
