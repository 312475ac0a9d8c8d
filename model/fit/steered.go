// This file makes a fitted model of topics that a person has changed.

package fit

import (
	"cmp"
	"context"
	"slices"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/internal/toplist"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/sketch"
)

// Steered is what has become of the topics of a Steerable. Items are those of the Steerable.
type Steered struct {
	Topics []SteeredTopic
	Kept   []int32      // the items that remain, increasing; nil for all
	Hidden map[int]bool // items that no list shows
	// Mixtures is N×K: row i is p(topic | item i), for all items, also those that do not remain.
	Mixtures *matrix.Tall
	Joint    []float64 // A of whole documents, K×K
	NextID   int       // the least topic id that was never given
	Record   model.SteerRecord
	Wishes   *model.Wishes // nil for none
}

// SteeredTopic is a topic of a Steered.
type SteeredTopic struct {
	ID     int
	Name   string
	Anchor int
	// Of is the topic of the Steerable from which what was measured of the anchor is taken; −1 for another anchor.
	Of            int
	Pivot, Margin float64
	// Characteristic are the items that occur most beside the anchor, more than TopItems, with their probabilities; see Steerable.Beside.
	Characteristic []model.Listed
}

// Beside returns the items that co-occur most with an item in the factor, without itself, for SteeredTopic. The error is that of ctx.
func (s *Steerable) Beside(ctx context.Context, item, count int) ([]model.Listed, error) {
	row := make([]float64, s.Vocabulary.Len())
	if err := s.Rows.Beside(ctx, row, item); err != nil {
		return nil, err
	}
	best := toplist.Columns(len(row), 1, count, s.run.Workers, func(dst []float64, i int) {
		if dst[0] = row[i]; i == item {
			dst[0] = 0
		}
	})
	var thinned *thinning
	if s.Weights != nil {
		thinned = &thinning{weights: s.Weights}
	}
	whole := thinned.items(row)
	list := make([]model.Listed, 0, count)
	for _, e := range best[0] {
		list = append(list, model.Listed{Item: e.Item, Probability: whole[e.Item], Weighted: e.Score})
	}
	return list, nil
}

// Fitted returns the model of the changed topics. It has no factor: WithFactor adds it before the model is saved or refined. The error is that of ctx.
func (s *Steerable) Fitted(ctx context.Context, of *Steered) (*Fitted, error) {
	f := newFitted(&model.Model{Manifest: s.Manifest, Vocabulary: s.Vocabulary, Eigenvalues: s.Eigenvalues, Residuals: s.Residuals, Course: s.Course}, s.run)
	f.forget(s, len(of.Topics))
	f.nameTopics(of)
	f.relevance = s.Manifest.Anchor.Relevance
	found := *s.Manifest.Anchor
	f.Manifest.Anchor = &found
	if found.Characteristic == OfDocuments && slices.ContainsFunc(of.Topics, func(t SteeredTopic) bool { return t.Of < 0 }) {
		f.Manifest.Anchor.Characteristic = OfBoth
	}
	kept := of.Kept
	if kept != nil {
		f.Vocabulary = s.Vocabulary.Subset(kept)
		f.Manifest.Corpus.Items, f.Manifest.Corpus.VocabularySHA256 = len(kept), f.Vocabulary.Fingerprint()
	}
	f.Marginals = sketch.Marginals{Documents: s.Manifest.Corpus.Documents, Surplus: s.Manifest.Sketch.DocumentSurplus,
		DocumentFrequency: taken(s.DocumentFrequency, kept), TermFrequency: taken(s.TermFrequency, kept), RowSums: taken(s.WeightedProbability, kept)}
	if s.Model.Weights != nil {
		f.Marginals.Weights = taken(s.Model.Weights, kept)
	}
	normalize(f.Marginals.RowSums)
	for i := range f.Marginals.RowSums {
		f.Marginals.RowSums[i] *= f.Marginals.Total()
	}
	if s.Evidence != nil {
		f.Evidence = &sketch.Evidence{SamplingVariance: taken(s.Evidence.SamplingVariance, kept), EffectiveSampleSize: taken(s.Evidence.EffectiveSampleSize, kept)}
	}
	if err := f.steer(ctx, s, of); err != nil {
		return nil, err
	}
	f.hide(of)
	return f, f.noteFindings(ctx)
}

// forget removes from the manifest what was said of the topics of s, or lies beside them, and is untrue of k changed ones.
func (f *Fitted) forget(s *Steerable, k int) {
	m := &f.Manifest
	m.Sketch.Topics = k
	m.Diagnostics, m.Documents, m.Levels, m.Outputs = nil, nil, nil, nil
	if m.Choice != nil && m.Choice.Topics != k {
		m.Choice = nil
	}
}

// Renamed returns copies of a model and of its fit with the names and wishes of other steps that change no number.
func (s *Steerable) Renamed(f *Fitted, m *model.Model, of *Steered) (*Fitted, *model.Model) {
	fitted, named, renamed := *f, *f.Model, *m
	fitted.Model = &named
	fitted.nameTopics(of)
	renamed.Manifest, renamed.TopicNames = fitted.Manifest, fitted.Manifest.TopicNames
	return &fitted, &renamed
}

// nameTopics sets the names and the record of the steps.
func (f *Fitted) nameTopics(of *Steered) {
	record := of.Record
	f.Manifest.Steer, f.Manifest.Wishes, f.Manifest.TopicNames = &record, of.Wishes, nil
	for k, topic := range of.Topics {
		if topic.Name != "" && f.Manifest.TopicNames == nil {
			f.Manifest.TopicNames = make([]string, len(of.Topics))
		}
		if topic.Name != "" {
			f.Manifest.TopicNames[k] = topic.Name
		}
	}
}

// taken returns the values of some items, all for nil, as a copy.
func taken[T any](values []T, items []int32) []T {
	if items == nil {
		return slices.Clone(values)
	}
	out := make([]T, len(items))
	for at, i := range items {
		out[at] = values[i]
	}
	return out
}

// steer sets the topics.
func (f *Fitted) steer(ctx context.Context, s *Steerable, of *Steered) error {
	k := len(of.Topics)
	t := &anchor.Topics{K: k, Mixtures: of.Mixtures, RowSums: taken(s.Tokens, of.Kept), Prior: make([]float64, k)}
	if s.Model.Reliability != nil {
		t.Reliability = taken(s.Model.Reliability, of.Kept)
	}
	place := func(item int) int { return item }
	if of.Kept != nil {
		t.Mixtures = matrix.Rows(of.Mixtures, of.Kept)
		place = func(item int) int {
			at, found := slices.BinarySearch(of.Kept, int32(item))
			if !found {
				return -1
			}
			return at
		}
	}
	for i, weight := range f.Marginals.Weights {
		t.RowSums[i] *= weight
	}
	normalize(t.RowSums)
	ids := make([]int, k)
	for at, topic := range of.Topics {
		ids[at] = topic.ID
		t.Anchors = append(t.Anchors, place(topic.Anchor))
		t.Pivots, t.Margins = append(t.Pivots, topic.Pivot), append(t.Margins, topic.Margin)
		halves, size := -1, 0.0
		if topic.Of >= 0 {
			halves, size = int(s.InHalves[topic.Of]), s.AnchorSampleSizes[topic.Of]
		}
		t.InHalves, f.anchorSizes = append(t.InHalves, halves), append(f.anchorSizes, size)
		f.Characteristic = append(f.Characteristic, listed(topic.Characteristic, of.Hidden, place))
	}
	f.Manifest.SetIDs(ids, of.NextID)
	for _, sum := range t.RowSums {
		if !(sum > 0) {
			t.Stats.Weightless++
		}
	}
	f.Topics = t.Assembled(s.run.Workers)
	if err := f.Topics.Reweigh(ctx); err != nil {
		return err
	}
	t.TopicJoint = of.Joint
	if weights := f.Marginals.Weights; weights != nil {
		whole := f.thinning(ctx)
		t.TopicJoint = scaled(of.Joint, func(at int) float64 { return 1 / (whole.inverted[at/k] * whole.inverted[at%k]) })
	}
	f.shareWeightless(ctx)
	return ctx.Err()
}

// listed returns the first items of a list that remain and are not hidden.
func listed(list []model.Listed, hidden map[int]bool, place func(item int) int) []model.Listed {
	var out []model.Listed
	for _, l := range list {
		if at := place(l.Item); at >= 0 && !hidden[l.Item] && len(out) < model.TopItems {
			out = append(out, model.Listed{Item: at, Probability: l.Probability, Weighted: l.Weighted})
		}
	}
	return out
}

// hide keeps items out of the lists.
func (f *Fitted) hide(of *Steered) {
	if len(of.Hidden) == 0 {
		return
	}
	f.hidden = make(map[int]bool, len(of.Hidden))
	for item := range of.Hidden {
		if of.Kept == nil {
			f.hidden[item] = true
		} else if at, found := slices.BinarySearch(of.Kept, int32(item)); found {
			f.hidden[at] = true
		}
	}
}

// ranked returns probabilities by which items are ranked, 0 for those that no list shows.
func (f *Fitted) ranked(p []float64) []float64 {
	if len(f.hidden) == 0 {
		return p
	}
	p = slices.Clone(p)
	for item := range f.hidden {
		p[item] = 0
	}
	return p
}

// WithFactor reads the factor and the leading vectors of the model that was steered, so that f can be saved or refined.
func (s *Steerable) WithFactor(ctx context.Context, f *Fitted, of *Steered) error {
	y, err := s.ReadFactor(ctx)
	if err != nil {
		return err
	}
	leading, err := s.ReadLeading(ctx)
	if err != nil {
		return err
	}
	if of.Kept != nil {
		if y = matrix.Rows(y, of.Kept); leading != nil {
			leading = matrix.Rows(leading, of.Kept)
		}
	}
	f.Factor, f.Leading = y, leading
	if of.Kept == nil { // pairs of items are those of the same items
		f.Recommendation, err = s.Pairs(ctx)
	}
	return err
}

// sizeOf returns the size of the anchor of topic k, where it is known better than by the item.
func (f *Fitted) sizeOf(k int, ofItem float64) float64 {
	if f.anchorSizes == nil || f.Evidence != nil {
		return ofItem
	}
	return cmp.Or(f.anchorSizes[k], ofItem)
}

// RefineSteered improves topics that were steered by the likelihood of the documents; see Refine. The items of the corpus must be those of the
// model, in their order. Topics that were refined before are refined again, from what the steps made of them.
func (f *Fitted) RefineSteered(ctx context.Context, docs *corpus.Corpus, opts Options) error {
	if docs.Vocabulary.Fingerprint() != f.Vocabulary.Fingerprint() {
		panic("model: the corpus has another vocabulary than the model")
	}
	opts.Topics = f.Topics.K
	if before := f.Manifest.Refine; before != nil {
		if opts.Refine.For == "" || opts.Refine.For == refine.ForAuto {
			opts.Refine.For = before.For
		}
		f.Manifest.Refine = nil
	}
	return f.Refine(ctx, docs, opts)
}
