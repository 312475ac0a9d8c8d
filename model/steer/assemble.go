// This file makes a fitted model of topics that were changed.

package steer

import (
	"context"
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/sketch"
)

// assemble returns the fit of a state, without a factor. The error is that of ctx.
func (s *Session) assemble(ctx context.Context, at *state, script Script) (*fit.Fitted, error) {
	b, kept := s.base, at.kept
	m := &model.Model{Manifest: b.Manifest, Vocabulary: b.Vocabulary, Eigen: b.Eigen, Course: b.Course}
	// What was said of the topics, or is beside them, is untrue of changed ones.
	k, manifest := len(at.topics), &m.Manifest
	manifest.Sketch.Topics = k
	manifest.Diagnostics, manifest.Documents = nil, nil
	manifest.Levels, manifest.Outputs = nil, nil
	if manifest.Choice != nil && manifest.Choice.Topics != k {
		manifest.Choice = nil
	}
	manifest.Certificate = certificate(manifest.Certificate, at.topics)
	found := *b.Manifest.Anchor
	manifest.Anchor = &found
	if found.Characteristic == fit.OfDocuments && slices.ContainsFunc(at.topics, func(t topic) bool { return t.of < 0 }) {
		found.Characteristic = fit.OfBoth
	}
	s.note(manifest, at, script)
	if kept != nil {
		m.Vocabulary = b.Vocabulary.Subset(kept)
		manifest.Corpus.Items, manifest.Corpus.VocabularySHA256 = len(kept), m.Vocabulary.Fingerprint()
	}
	m.Marginals = sketch.Marginals{Documents: b.Manifest.Corpus.Documents,
		DocumentFrequency: taken(b.DocumentFrequency, kept), TermFrequency: taken(b.TermFrequency, kept),
		RowSums: taken(b.WeightedProbability, kept), Weights: taken(b.Weights, kept)}
	normalize(m.RowSums)
	for i := range m.RowSums {
		m.RowSums[i] *= m.Total()
	}
	if e := b.Evidence; e != nil {
		m.Evidence = &sketch.Evidence{SamplingVariance: taken(e.SamplingVariance, kept),
			EffectiveSampleSize: taken(e.EffectiveSampleSize, kept)}
	}
	t, sizes := s.topics(m, at)
	hidden := make(map[int]bool, len(at.hidden))
	for item := range at.hidden {
		hidden[at.place(item)] = true
	}
	return fit.Assemble(ctx, m, t, fit.Assembly{Joint: at.joint, AnchorSizes: sizes, Hidden: hidden}, s.run)
}

// certificate returns that of changed topics: what is known of each one. It knows no errors if a topic is new.
func certificate(of *model.Certificate, topics []topic) *model.Certificate {
	if of == nil || of.Errors == nil {
		return of
	}
	changed := *of
	changed.Errors, changed.Lost = nil, nil
	for k, t := range topics {
		if t.of < 0 {
			changed.Errors, changed.Lost = nil, nil
			break
		}
		changed.Errors = append(changed.Errors, of.Errors[t.of])
		if slices.Contains(of.Lost, t.of) {
			changed.Lost = append(changed.Lost, k)
		}
	}
	return &changed
}

// topics returns the topics, and the sizes of their anchors, of a model to which it adds ids and characteristic items.
func (s *Session) topics(m *model.Model, at *state) (t *anchor.Topics, sizes []float64) {
	b, k := s.base, len(at.topics)
	t = &anchor.Topics{K: k, Mixtures: at.mixtures, RowSums: taken(b.Tokens, at.kept), Prior: make([]float64, k),
		Reliability: taken(b.Reliability, at.kept)}
	if at.kept != nil {
		t.Mixtures = matrix.Rows(at.mixtures, at.kept)
	}
	for i, weight := range m.Weights {
		t.RowSums[i] *= weight
	}
	normalize(t.RowSums)
	ids := make([]int, k)
	for i, of := range at.topics {
		ids[i] = of.id
		t.Anchors, t.Pivots, t.Margins = append(t.Anchors, at.place(of.anchor)), append(t.Pivots, of.pivot),
			append(t.Margins, of.margin)
		size := 0.0
		if of.of >= 0 {
			size = b.AnchorSampleSizes[of.of]
		}
		sizes = append(sizes, size)
		m.Characteristic = append(m.Characteristic, at.listed(of.beside))
	}
	m.Manifest.SetIDs(ids, at.nextID)
	for _, sum := range t.RowSums {
		if !(sum > 0) {
			t.Stats.Weightless++
		}
	}
	return t, sizes
}

// note sets the names and the record of the steps.
func (s *Session) note(m *model.Manifest, at *state, script Script) {
	record := &model.SteerRecord{SteerScript: model.SteerScript{SHA256: s.base.SHA256, Script: script.String()},
		Rank: s.base.Manifest.Rank()}
	if before := s.base.Manifest.Steer; before != nil {
		record.Earlier = append(slices.Clone(before.Earlier), before.SteerScript)
	}
	m.Steer, m.Wishes, m.TopicNames = record, s.wishes(at), nil
	if slices.ContainsFunc(at.topics, func(t topic) bool { return t.name != "" }) {
		for _, t := range at.topics {
			m.TopicNames = append(m.TopicNames, t.name)
		}
	}
}

// taken returns the values of some items, all for nil, as a copy.
func taken[T any](values []T, items []int32) []T {
	if items == nil || values == nil {
		return slices.Clone(values)
	}
	out := make([]T, len(items))
	for at, i := range items {
		out[at] = values[i]
	}
	return out
}

// place returns the number of an item among those that remain, −1 for an item that does not.
func (at *state) place(item int) int {
	if at.kept == nil {
		return item
	}
	i, found := slices.BinarySearch(at.kept, int32(item))
	if !found {
		return -1
	}
	return i
}

// listed returns the first items of a list that remain and are not hidden.
func (at *state) listed(list []model.Listed) []model.Listed {
	var out []model.Listed
	for _, l := range list {
		if i := at.place(l.Item); i >= 0 && !at.hidden[l.Item] && len(out) < model.TopItems {
			out = append(out, model.Listed{Item: i, Probability: l.Probability, Weighted: l.Weighted})
		}
	}
	return out
}

// addFactor reads the factor and the leading vectors of the model that was steered, so that a fit of a state can be
// saved or refined.
func (s *Session) addFactor(ctx context.Context, at *state) error {
	f, from := at.fitted, *s.base.Model
	err := from.ReadRest(ctx)
	if err != nil {
		return err
	}
	y, leading := from.Factor, from.Eigen.Leading
	if at.kept != nil {
		if y = matrix.Rows(y, at.kept); leading != nil {
			leading = matrix.Rows(leading, at.kept)
		}
	}
	f.Factor, f.Eigen.Leading = y, leading
	if at.kept == nil { // pairs of items are those of the same items
		f.Recommendation, err = s.base.Pairs(ctx)
	}
	return err
}

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
	floats.Scale(before/after, moved)
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
