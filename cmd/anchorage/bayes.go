// This file holds the bayes command, which groups those of variational inference, and its verbs eval and plan.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/bayes"
	"anchorage/model"
)

func (p *program) bayesCommand() *cobra.Command {
	return holder("bayes", p.bayesFitCommand(), p.bayesPlanCommand(), p.bayesEvalCommand(), p.bayesSearchCommand())
}

func (p *program) bayesEvalCommand() *cobra.Command {
	var source sourceFlags
	return p.command("bayes eval", cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
		if err := source.modelItems("leave --vocab and --no-prune out"); err != nil {
			return err
		}
		if err := source.ready(p); err != nil {
			return err
		}
		loaded, err := model.LoadVariational(ctx, args[0], p.workers)
		if err != nil {
			return err
		}
		options := source.options(p, "")
		options.Vocabulary = loaded.Vocabulary
		docs, err := source.open(ctx, p, args[1:], options, 1)
		if err != nil {
			return err
		}
		defer p.closeDocuments(docs)
		score, err := bayes.Evaluate(ctx, loaded.State, p.watched(docs, "scoring"))
		if err != nil {
			return err
		}
		value := map[string]any{"documents": score.Documents, "tokens": score.Tokens, "log_likelihood": score.LogLikelihood}
		return p.print(value, func(w io.Writer) {
			printf(w, "held-out log-likelihood per token %.6f, over %d tokens of %d documents\n", score.LogLikelihood,
				score.Tokens, score.Documents)
		})
	}, source.formatRows(), source.documentRows())
}

func (p *program) bayesPlanCommand() *cobra.Command {
	var f bayesFlags
	return p.command("bayes plan", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if err := f.complete(ctx); err != nil {
			return err
		}
		items, r, err := f.source.count(ctx, p, args)
		if err != nil {
			return err
		}
		o := &f.options
		global := 8 * int64(items) * int64(o.Topics)
		memory := o.Memory(items, o.Plan.Batch, float64(r.Entries)/float64(r.DocumentsRead))
		disk := 2*r.Entries + o.Disk(o.Plan, r.DocumentsRead, r.Entries) // a copy of the documents, and the working files
		value := map[string]any{"items": items, "documents": r.DocumentsRead, "topics": o.Topics, "g_bytes": global,
			"h_bytes": 8 * o.Topics, "memory_bytes": memory, "disk_bytes": disk}
		return p.print(value, func(w io.Writer) {
			const mebi = 1 << 20
			printf(w, "%d documents, %d items, %d topics\nmemory  %6d MiB, of which g, %d×%d, takes %d MiB; h takes %d "+
				"bytes\ndisk    %6d MiB\n", r.DocumentsRead, items, o.Topics, memory/mebi+1, items, o.Topics, global/mebi+1,
				8*o.Topics, disk/mebi+1)
		})
	}, f.rows(), f.source.corpusRows())
}
