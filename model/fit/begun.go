// This file lets a fit start from an earlier model of nearly the same documents.

package fit

import (
	"anchorage/corpus"
	"anchorage/model"
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
	if o.checkStart() != nil || docs.Growing() {
		return false
	}
	for i := range docs.Vocabulary.Len() { // the first item serves as a rule
		if _, known := from.Vocabulary.Lookup([]byte(docs.Vocabulary.ID(i))); known {
			return true
		}
	}
	return false
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
