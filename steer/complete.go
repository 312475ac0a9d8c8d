// This file makes a model of a state.

package steer

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/model"
)

// complete sets the model of a state that the script has led to.
func (s *Session) complete(ctx context.Context, at *state, script Script) error {
	m := s.mixer(at)
	mixtures, flow, err := m.mixtures(ctx)
	if err != nil {
		return err
	}
	of := &model.Steered{Mixtures: mixtures, Hidden: at.hidden, NextID: at.nextID, Joint: joint(ctx, s.base.TopicJoint, flow, m.topics, len(at.topics))}
	if len(at.removed) > 0 {
		for i := range s.base.Vocabulary.Len() {
			if !at.removed[i] {
				of.Kept = append(of.Kept, int32(i))
			}
		}
	}
	for _, t := range at.topics {
		of.Topics = append(of.Topics, model.SteeredTopic{ID: t.id, Name: t.name, Anchor: t.anchor, Of: t.of, Pivot: t.pivot, Margin: t.margin, Characteristic: t.beside})
	}
	of.Record = s.record(at, script)
	fitted, err := s.base.Fitted(ctx, of)
	if err != nil {
		return err
	}
	at.steered, at.fitted = of, fitted
	at.model = fitted.Model()
	s.base.Lend(at.model, of)
	return ctx.Err()
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

// record returns what the manifest says of the steps.
func (s *Session) record(at *state, script Script) model.SteerRecord {
	r := model.SteerRecord{SHA256: s.base.SHA256, Script: script.String(), Rank: s.base.Rank()}
	if before := s.base.Manifest.Steer; before != nil {
		r.Earlier = append(slices.Clone(before.Earlier), model.EarlierScript{SHA256: before.SHA256, Script: before.Script})
	}
	for _, t := range at.topics {
		if wish := (model.TopicWish{ID: t.id, Name: t.name, Pinned: t.pinned, Seed: s.ids(t.seed)}); t.name != "" || t.pinned || len(t.seed) > 0 {
			r.Topics = append(r.Topics, wish)
		}
	}
	r.BannedAnchors, r.BannedItems = s.ids(sorted(at.banned)), s.ids(sorted(at.hidden))
	return r
}

func sorted(set map[int]bool) []int {
	var list []int
	for i := range set {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

func (s *Session) ids(items []int) []string {
	var list []string
	for _, i := range items {
		list = append(list, s.base.Vocabulary.ID(i))
	}
	return list
}
