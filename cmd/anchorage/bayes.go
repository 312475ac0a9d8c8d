// This file holds the bayes command, which groups those of variational inference, and its verbs eval and plan.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/stream"
)

func (p *program) bayesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bayes",
		Short: "Learn topics by variational inference: Bayesian NMF, correlated NMF and online LDA",
		Long: `Bayes learns topics by variational inference, says beforehand how much memory and disk that takes, and
measures how well a model predicts documents and which documents are near each other.`,
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
func (f *bayesModelFlags) open(ctx context.Context, p *program, path string,
	shards []string) (*bayes.State, *corpus.Corpus, error) {
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

func (p *program) bayesEvalCommand() *cobra.Command {
	var f bayesModelFlags
	cmd := &cobra.Command{
		Use:   "eval MODEL SHARD...",
		Short: "Predict held-out thirds of documents",
		Long: `Eval deals the tokens of every document into thirds. It predicts each third from the other two, under a model
that bayes fit made, and prints the mean of the logarithm per token. Give documents that the model was not learned
from. For the figures of merit of all models see anchorage eval.`,
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
				printf(w, "held-out log-likelihood per token %.6f, over %d tokens of %d documents\n", score.LogLikelihood,
					score.Tokens, score.Documents)
			})
		}),
	}
	return p.with(cmd, f.source.of(cmd.Flags()).formatRows(), f.source.documentRows())
}

func (p *program) bayesPlanCommand() *cobra.Command {
	var f bayesFlags
	cmd := &cobra.Command{
		Use:   "plan --model bnmf|cnmf|lda SHARD...",
		Short: "Say how much memory and disk a fit will take",
		Long: `Plan counts the items of shards and says what bayes fit with the same flags will hold. In memory: g, the
variational parameters of V×K topics' items; h, K values; and what a mini-batch takes. On disk: copies of the
documents, and with --batch the variables of every document.`,
		Example: `  anchorage bayes plan --model bnmf shards/ -k 100`,
		Args:    cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := f.complete(ctx); err != nil {
				return err
			}
			items, account, err := f.count(ctx, p, args)
			if err != nil {
				return err
			}
			return p.printBayesPlan(&f.options, items, account)
		}),
	}
	return p.with(cmd, f.rows(), f.source.of(cmd.Flags()).corpusRows())
}

// count counts the documents of args, and the items that a fit would keep.
func (f *bayesFlags) count(ctx context.Context, p *program,
	args []string) (items int, account corpus.Account, err error) {
	from, err := f.source.source(ctx, p, args, "")
	if err != nil {
		return 0, account, err
	}
	given := from.Vocabulary
	if from.Vocabulary = nil; given != nil {
		from.Pruning = corpus.Everything().Pruning
	}
	counted, account, err := stream.CountItems(ctx, from.shards, from.Options)
	switch {
	case err != nil:
		return 0, account, err
	case given != nil:
		return given.Len(), account, nil
	}
	return counted.Len(), account, nil
}

// printBayesPlan prints what a fit takes.
func (p *program) printBayesPlan(o *fit.BayesOptions, items int, r corpus.Account) error {
	global := 8 * int64(items) * int64(o.Topics)
	memory := o.Memory(items, o.Plan.Batch, float64(r.Entries)/float64(r.DocumentsRead))
	disk := 2*r.Entries + o.Disk(o.Plan, r.DocumentsRead, r.Entries) // a copy of the documents, and the working files
	value := map[string]any{"items": items, "documents": r.DocumentsRead, "topics": o.Topics, "g_bytes": global,
		"h_bytes":      8 * o.Topics,
		"memory_bytes": memory, "disk_bytes": disk}
	return p.print(value, func(w io.Writer) {
		const mebi = 1 << 20
		printf(w, "%d documents, %d items, %d topics\nmemory  %6d MiB, of which g, %d×%d, takes %d MiB; h takes %d "+
			"bytes\ndisk    %6d MiB\n",
			r.DocumentsRead, items, o.Topics, memory/mebi+1, items, o.Topics, global/mebi+1, 8*o.Topics, disk/mebi+1)
	})
}
