// This file lets a fit, and its refinement, start from an earlier model of nearly the same documents.

package fit

import (
	"context"
	"math"
	"slices"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/sketch"
)

// begun is a Start as a fit uses it.
type begun struct {
	*model.Start
	rows   []int32 // of each item of the fit: its row in Start, or -1
	common int     // items that have one
}

// fitStart finds the items of the corpus in opts.Start. It returns nil if there is none. The error is an *OptionError
// if nothing can start from it.
func (o *Options) fitStart(docs *corpus.Corpus) (*begun, error) {
	switch {
	case o.Start == nil:
		return nil, nil
	case docs.Growing():
		return nil, badOption("Start", "the items must be known before the first pass")
	}
	b := &begun{Start: o.Start, rows: make([]int32, docs.Vocabulary.Len())}
	for i := range b.rows {
		b.rows[i] = -1
		if row, known := o.Start.Vocabulary.Lookup([]byte(docs.Vocabulary.ID(i))); known {
			b.rows[i] = row
			b.common++
		}
	}
	if b.common == 0 {
		return nil, badOption("Start", "the model to start from has none of the items")
	}
	return b, nil
}

// CanStart reports whether a fit of the documents of a corpus, by the options, can start from a model: the method
// passes over the documents several times, and the model has some of the items.
func (o Options) CanStart(from *model.Start, docs *corpus.Corpus) bool {
	o = o.prepared()
	o.Start = from
	if o.checkStart() != nil {
		return false
	}
	_, err := o.fitStart(docs)
	return err == nil
}

// vectors returns what a sketch with this number of columns starts from; nil for a nil b.
func (b *begun) vectors(columns int) *sketch.Start {
	if b == nil {
		return nil
	}
	random := min(sketch.LeastRandom, (columns+1)/2)
	return &sketch.Start{Columns: min(b.Vectors.Cols(), columns-random), Row: func(dst []float64, item int) {
		row := b.rows[item]
		if row < 0 {
			clear(dst)
			return
		}
		for j, v := range b.Vectors.Row(int(row))[:len(dst)] {
			dst[j] = float64(v)
		}
	}}
}

// checkStart returns an *OptionError if a fit by the options cannot start from a model.
func (o *Options) checkStart() error {
	switch {
	case o.Start == nil:
		return nil
	case o.Method.Dense():
		return badOption("Start", "%s holds all co-occurrences and makes no passes that could start from a model", o.Method)
	case o.Sketch.Passes == 1:
		return badOption("Start", "a single pass cannot start from a model: it needs two passes or more")
	case o.Start.Vectors == nil || o.Start.Mixtures == nil || o.Start.Vocabulary == nil:
		return badOption("Start", "the model to start from was not read by ReadStart")
	}
	return nil
}

// farthest is the Hellinger distance from which on topics with different anchors are not taken for the same one: an
// affinity of a half.
const farthest = math.Sqrt2 / 2

// earlier lets a refinement of the topics start from those of the earlier model: it sets what start needs, and returns
// how many topics of the earlier model are continued. A topic continues the one with the same anchor, if there is one.
// Package drift pairs the others. A topic without partner is new, and starts as it was found.
func (b *begun) earlier(ctx context.Context, v *corpus.Vocabulary, start *refine.Start, anchors []int,
	workers int) (continued int, err error) {
	k := len(anchors)
	then := &drift.Topics{Vocabulary: b.Vocabulary, Shares: slices.Repeat([]float64{1 / float64(b.Topics())}, b.Topics()),
		Row: func(dst []float64, i int) {
			for l, p := range b.Mixtures.Row(i) {
				dst[l] = float64(p) * b.Probability[i]
			}
		}}
	now := &drift.Topics{Vocabulary: v, Shares: slices.Repeat([]float64{1 / float64(k)}, k),
		Row: func(dst []float64, i int) {
			for t, p := range start.Mixtures.Row(i) {
				dst[t] = max(p, 0) * float64(start.Frequency[i])
			}
		}}
	same := make(map[int]int)
	for topic, item := range b.Anchors {
		for t, anchor := range anchors {
			if b.rows[anchor] == int32(item) {
				same[t] = topic
			}
		}
	}
	from, err := drift.Match(ctx, then, now, drift.Options{Threshold: farthest, Workers: workers, Continues: same})
	if err != nil {
		return 0, err
	}
	for _, topic := range from {
		if topic >= 0 {
			continued++
		}
	}
	if continued == len(from) {
		start.Joint = nil
		for _, a := range from {
			for _, c := range from {
				start.Joint = append(start.Joint, b.TopicJoint[a*b.Topics()+c])
			}
		}
	}
	start.EarlierFor = b.Refined
	start.Earlier = func(dst []float64, i int) { b.mixture(dst, start.Mixtures.Row(i), i, from) }
	return continued, nil
}

// mixture sets dst to p(topic | item i): that of the earlier model for the topics that continue one, and found for new
// ones, and for items that the earlier model does not know.
func (b *begun) mixture(dst, found []float64, i int, from []int) {
	copy(dst, found)
	if b.rows[i] < 0 {
		return
	}
	row, old, left := b.Mixtures.Row(int(b.rows[i])), 0.0, 1.0
	for k, topic := range from {
		if topic >= 0 {
			old += float64(row[topic])
		} else {
			left -= max(found[k], 0)
		}
	}
	if !(old > 0 && left > 0) {
		return
	}
	for k, topic := range from {
		if topic >= 0 {
			dst[k] = float64(row[topic]) / old * left
		}
	}
}
