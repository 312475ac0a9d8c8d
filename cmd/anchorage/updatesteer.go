// This file lets an update respect the script that a store remembers.

package main

import (
	"bytes"
	"context"
	"errors"
	"maps"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/steer"
	"anchorage/store"
)

// wantedTopics is the script of a store; nil for none.
type wantedTopics struct {
	script   steer.Script
	repeated *steer.Repeated
	before   *model.Model // the current generation; nil without one
	noPrune  bool
}

// wishes reads the script of --steer, in terms of the current generation.
func (f *updateFlags) wishes(ctx context.Context, p *program, w *store.Writer) (*wantedTopics, error) {
	if f.steer == "" {
		return nil, nil
	}
	text, err := p.scriptText(ctx, f.steer)
	if err != nil {
		return nil, err
	}
	of := &wantedTopics{noPrune: f.fit.source.noPrune}
	if of.script, err = steer.Parse(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	if number := w.State.Generation; number > 0 {
		if of.before, err = model.Load(ctx, w.GenerationPath(number)); err != nil {
			return nil, err
		}
	}
	if of.repeated, err = of.script.Repeat(of.before); err != nil {
		return nil, err
	}
	for _, lost := range of.repeated.Lost {
		p.log.Warn("a step has no effect", "reason", lost)
	}
	return of, nil
}

// wishes returns what a fit is to respect.
func (w *wantedTopics) wishes() *model.Wishes {
	if w == nil {
		return nil
	}
	return w.repeated.Wishes
}

// leaveOut adds the items that were removed to those that a vocabulary leaves out.
func (w *wantedTopics) leaveOut(words map[string]struct{}) (map[string]struct{}, error) {
	if w == nil || len(w.repeated.Removed) == 0 {
		return words, nil
	}
	if w.noPrune {
		return nil, &usageError{errors.New("--no-prune keeps all items, but the script of --steer removes some: leave one " +
			"of both out")}
	}
	all := maps.Clone(w.repeated.Removed)
	maps.Copy(all, words)
	return all, nil
}

// check wants the items of seeds to be those of the documents, or of the generation before.
func (w *wantedTopics) check(docs *corpus.Corpus) error {
	if w == nil || docs.Growing() {
		return nil
	}
	return w.script.CheckItems(docs.Vocabulary, w.before)
}
