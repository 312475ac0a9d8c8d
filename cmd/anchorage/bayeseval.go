// This file holds the bayes eval command: how well a model predicts documents.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/bayes"
)

func (p *program) bayesEvalCommand() *cobra.Command {
	var f bayesModelFlags
	cmd := &cobra.Command{
		Use:   "eval MODEL SHARD...",
		Short: "Predict held-out thirds of documents",
		Long: `Eval deals the tokens of every document into thirds. It predicts each third from the other two, under a model that bayes
fit made, and prints the mean of the logarithm per token. Give documents that the model was not learned from. For the figures
of merit of all models see anchorage eval.`,
		Example: `  anchorage bayes eval model others/`,
		Args:    cobra.MinimumNArgs(2),
		RunE: started(func(ctx context.Context, args []string) error {
			state, docs, err := f.open(ctx, p, args[0], args[1:])
			if err != nil {
				return err
			}
			defer p.closeDocuments(docs)
			score, err := bayes.Evaluate(ctx, state, p.watched(docs, "scoring"))
			if err != nil {
				return err
			}
			value := map[string]any{"documents": score.Documents, "tokens": score.Tokens, "log_likelihood": score.LogLikelihood}
			return p.print(value, func(w io.Writer) {
				printf(w, "held-out log-likelihood per token %.6f, over %d tokens of %d documents\n", score.LogLikelihood, score.Tokens, score.Documents)
			})
		}),
	}
	return p.with(cmd, f.source.of(cmd.Flags()).formatRows(), f.source.documentRows())
}
