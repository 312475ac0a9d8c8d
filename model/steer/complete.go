// This file makes a model of a state.

package steer

import (
	"context"
	"maps"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/model"
)

// complete sets the model of a state that the script has led to. from is a state with a model, or nil, of which what is
// equal is taken.
func (s *Session) complete(ctx context.Context, at *state, script Script, from *state) error {
	same := from != nil && from.fitted != nil && at.mixesLike(from)
	if same {
		at.mixtures, at.joint, at.flow = from.mixtures, from.joint, from.flow
	} else {
		m := s.mixer(at)
		mixtures, flow, err := m.mixtures(ctx)
		if err != nil {
			return err
		}
		at.mixtures, at.joint, at.flow = mixtures, joint(ctx, s.base.TopicJoint, flow, m.topics, len(at.topics)), flow
	}
	if at.kept = nil; len(at.removed) > 0 {
		for i := range s.base.Vocabulary.Len() {
			if !at.removed[i] {
				at.kept = append(at.kept, int32(i))
			}
		}
	}
	if same && at.listsLike(from) { // other names and wishes change no number
		fitted, named, renamed := *from.fitted, *from.fitted.Model, *from.model
		fitted.Model = &named
		s.note(&named.Manifest, at, script)
		renamed.Manifest, renamed.TopicNames = named.Manifest, named.Manifest.TopicNames
		at.fitted, at.model = &fitted, &renamed
		return ctx.Err()
	}
	fitted, err := s.assemble(ctx, at, script)
	if err != nil {
		return err
	}
	at.fitted = fitted
	fitted.Borrow(s.base.Model, at.kept, at.flow)
	at.model = fitted.Loaded()
	return ctx.Err()
}

// mixesLike reports whether two states have the same mixtures and topics.
func (at *state) mixesLike(from *state) bool {
	return at.hull == from.hull && maps.Equal(at.removed, from.removed) && slices.Equal(at.heir, from.heir) &&
		slices.EqualFunc(at.topics, from.topics,
			func(a, b topic) bool { return a.id == b.id && slices.Equal(a.corners, b.corners) })
}

// listsLike reports whether two states of the same mixtures have the same anchors and lists.
func (at *state) listsLike(from *state) bool {
	return maps.Equal(at.hidden, from.hidden) && slices.EqualFunc(at.topics, from.topics,
		func(a, b topic) bool { return a.anchor == b.anchor })
}

// joint returns Tᵀ·A·T for the flow T, k×now, so that its rows follow those of the shares; it keeps the sum of A.
func joint(ctx context.Context, a, flow []float64, k, now int) []float64 {
	moved := kernel.TransposedTimes(ctx, flow, kernel.Times(ctx, a, flow, k, k, now), k, now, now)
	before, after := 0.0, 0.0
	for _, v := range a {
		before += v
	}
	for i := range now {
		for j := range i {
			mean := (moved[i*now+j] + moved[j*now+i]) / 2
			moved[i*now+j], moved[j*now+i] = mean, mean
		}
	}
	for _, v := range moved {
		after += v
	}
	for at := range moved {
		moved[at] *= before / after
	}
	return moved
}

// wishes returns what the steps, and those before them, want of topics; nil for nothing.
func (s *Session) wishes(at *state) *model.Wishes {
	w := &model.Wishes{BannedAnchors: s.ids(slices.Sorted(maps.Keys(at.banned))),
		BannedItems: s.ids(slices.Sorted(maps.Keys(at.hidden)))}
	for _, t := range at.topics {
		if t.name != "" || t.pinned || len(t.seed) > 0 {
			w.Topics = append(w.Topics, model.TopicWish{ID: t.id, Name: t.name, Pinned: t.pinned, Seed: s.ids(t.seed)})
		}
	}
	if len(w.Topics)+len(w.BannedAnchors)+len(w.BannedItems) == 0 {
		return nil
	}
	return w
}

func (s *Session) ids(items []int) []string {
	var list []string
	for _, i := range items {
		list = append(list, s.base.Vocabulary.ID(i))
	}
	return list
}
