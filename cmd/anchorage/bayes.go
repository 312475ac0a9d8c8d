// This file holds the bayes command, which groups those of variational inference.

package main

import (
	"context"

	"github.com/spf13/cobra"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/model"
)

func (p *program) bayesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bayes",
		Short: "Learn topics by variational inference: Bayesian NMF, correlated NMF and online LDA",
		Long: `Bayes learns topics by variational inference, says beforehand how much memory and disk that takes, and tells how well a
model predicts documents and which documents are near each other.`,
		Example: `  anchorage bayes fit --model lda shards/ -k 100 -o model`,
		Args:    subcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.bayesFitCommand(), p.bayesPlanCommand(), p.bayesEvalCommand(), p.bayesSearchCommand())
	return cmd
}

// bayesModelFlags say which documents to hold a model of bayes fit against.
type bayesModelFlags struct{ source sourceFlags }

// open loads the model and opens the documents.
func (f *bayesModelFlags) open(ctx context.Context, p *program, path string, shards []string) (*bayes.State, *corpus.Corpus, error) {
	if err := f.source.modelItems("leave --vocab and --no-prune out"); err != nil {
		return nil, nil, err
	}
	if err := f.source.ready(p); err != nil {
		return nil, nil, err
	}
	loaded, err := model.LoadVariational(ctx, path, p.workers)
	if err != nil {
		return nil, nil, err
	}
	options := f.source.options(p, "")
	options.Vocabulary = loaded.Vocabulary
	docs, err := f.source.open(ctx, p, shards, options, 1)
	return loaded.State, docs, err
}
