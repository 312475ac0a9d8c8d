// This file holds the refine command: a pass of a refinement over the documents of a task.

package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
)

func (p *program) refineCommand() *cobra.Command {
	var source sourceFlags
	var o fit.Options
	var path, start string
	pass := stage(p, model.KindSketch, &path, func(ctx context.Context, w work) (*fit.Sketched, error) {
		from := new(model.Model)
		if err := from.ReadRefining(ctx, start); err != nil {
			return nil, err
		}
		options, limits := source.options(p, ""), &from.Manifest.Corpus
		options.Vocabulary, options.MinItems, options.MinTokens = from.Vocabulary, limits.MinItems, limits.MinTokens
		options.Kind = limits.Kind
		docs, err := source.open(ctx, p, w.args, options, 1)
		if err != nil {
			return nil, err
		}
		defer p.closeDocuments(docs)
		o.Run, o.Sketch.Tasks = w.run, source.dealing.record
		return fit.RefineTask(ctx, from, docs, o)
	}, p.printSketch)
	return p.command("refine", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if start == "" {
			return &usageError{errors.New("the model is missing: give it with --start")}
		}
		if source.dealing.task.Of == 0 {
			source.dealing.task = shard.Task{Of: 1}
		}
		if err := p.recall(ctx, start); err != nil {
			return err
		}
		if done, err := source.done(ctx, p, path, args, start); done || err != nil {
			return err
		}
		return pass(ctx, args)
	}, []row{outputRow(&path, "the sums of the pass, a folder"), p.replaceRow(), source.dealing.row(),
		startRow(&start, "the model, or what the merge of the pass before has made (required)")},
		refineRows(&o.Refine)[1:], source.formatRows())
}
