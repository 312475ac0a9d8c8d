// This file holds the bayes eval command.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/bayes"
	"anchorage/model"
)

func (p *program) bayesEvalCommand() *cobra.Command {
	var source sourceFlags
	return p.command("bayes eval", cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
		if err := source.limit.holdsModel(); err != nil {
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
	}, source.formatRows(), source.lengthRows())
}
