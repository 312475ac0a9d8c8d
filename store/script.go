// This file lets generations respect a person's changes to the topics.

package store

import (
	"context"
	"maps"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/steer"
)

// respect turns the script into wishes for the fit, in terms of the generation before, and adds the items that it
// removes to those that the documents are read without.
func (n *Next) respect(ctx context.Context, script steer.Script, options *corpus.Options) error {
	if script == nil {
		return nil
	}
	before, err := n.continued(ctx)
	if err != nil {
		return err
	}
	repeated, err := script.Repeat(before)
	if err != nil {
		return err
	}
	for _, lost := range repeated.Lost {
		n.writer.options.Log.Warn("a step has no effect", "reason", lost)
	}
	n.opts.Fit.Wishes = repeated.Wishes
	if len(repeated.Removed) == 0 {
		return nil
	}
	if options.NoPrune {
		return &model.OptionError{Option: "Script", Reason: "the script removes items, but all items are to be kept: leave " +
			"one of both out"}
	}
	maps.Copy(repeated.Removed, options.Pruning.Stopwords)
	options.Pruning.Stopwords = repeated.Removed
	return nil
}

// continued returns the model of the generation before; nil without one.
func (n *Next) continued(ctx context.Context) (*model.Model, error) {
	if n.before != nil {
		return n.before, nil
	}
	err := n.fromBefore(func(path string) (err error) {
		n.before, err = model.Load(ctx, path)
		return err
	})
	if err != nil || n.from == 0 {
		n.before = nil
	}
	return n.before, err
}
