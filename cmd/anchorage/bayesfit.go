// This file holds the bayes fit command.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) bayesFitCommand() *cobra.Command {
	var f bayesFlags
	var training trainingFlags
	var page reportFlags
	var output string
	cmd := &cobra.Command{
		Use:   "fit --model bnmf|cnmf|lda SHARD...",
		Short: "Learn a model by variational inference",
		Long: `Fit learns Bayesian NMF or correlated NMF (Paisley, Blei & Jordan 2014) or online LDA (Hoffman, Blei & Bach 2010) from
shards of documents. It takes mini-batches, in one pass, or in more with --epochs; with --batch it runs the batch algorithms.
It tests every tenth mini-batch before it learns from it: it deals each document's tokens into thirds, finds the document's
variables from two of them, predicts the third, and logs the mean of the logarithm per token.

It holds V×K numbers of 8 bytes, twice with --batch, and what a mini-batch takes; bayes plan says how much that is. With
--resume=auto, or --time-limit, a run keeps a checkpoint beside its output. Once it was interrupted or killed, the same
command continues from there, and ends with the same bytes.`,
		Example: `  anchorage bayes fit --model bnmf shards/ -k 100 -o model
  anchorage bayes fit --model cnmf shards/ -k 100 --max-items 8000 --epochs 3 -o model
  anchorage bayes fit --model lda --batch docword.nips.txt.gz -k 25 -o nips
  anchorage fit shards/ -k 100 -o anchors && anchorage bayes fit --model lda shards/ -k 100 --init anchors --set t0=64 -o model`,
		Args: cobra.MinimumNArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (*fit.Fitted, error) {
			err := f.complete(ctx)
			if err != nil {
				return nil, err
			}
			if err := training.check(); err != nil {
				return nil, err
			}
			if err := p.resume.open(ctx, p, run, output, args); err != nil {
				return nil, err
			}
			f.options.Run = run
			fitted, err := overCorpus(ctx, p, run, out, &f.source, args, 0, func(docs *corpus.Corpus) (*fit.Fitted, error) {
				if err := f.source.roomForModel(p, docs.Account, f.options.Topics, output, out); err != nil {
					return nil, err
				}
				fitted, err := fit.Bayes(ctx, docs, f.options)
				if err != nil || page.none && !page.diagnostics {
					return fitted, err
				}
				return fitted, fitted.Diagnose(ctx, docs)
			})
			if err != nil {
				return nil, err
			}
			if err := training.transform(ctx, p, run, fitted, &f.source, out); err != nil {
				return nil, err
			}
			return fitted, page.write(ctx, p, run, fitted, f.source.found, out)
		}, p.printBayes),
	}
	return p.with(cmd, []row{outputRow(&output, "the model, a folder"), p.replaceRow()}, f.rows(), p.resume.rows(), training.rows(), page.rows(),
		f.source.of(cmd.Flags()).corpusRows(), []row{p.resume.intervalRow(), f.source.diskRow(), p.topRow()}, p.monitorRows())
}

// printBayes prints the topics of a model and where it lies.
func (p *program) printBayes(s *fit.Fitted, output string) error {
	m := s.Overview()
	value := map[string]any{"output": output, "manifest": &s.Manifest, "left_out": omissions(s.Manifest.Corpus, s.Manifest.Skipped),
		"topics": topicViews(m, p.items())}
	return p.print(value, func(w io.Writer) {
		printAccount(w, s.Manifest.Corpus, s.Manifest.Skipped)
		fmt.Fprintln(w)
		r := s.Manifest.Bayes
		begin := strings.TrimSuffix(modelLine(m), ".") + fmt.Sprintf(", by %s.", r.Model)
		if r.HeldOut != nil {
			begin += fmt.Sprintf(" Held-out log-likelihood per token %.4f, after %d documents.", r.HeldOut.LogLikelihood, r.HeldOut.Documents)
		}
		if r.Bound != nil {
			begin += fmt.Sprintf(" Bound %.8g after %d iterations.", *r.Bound, r.Steps)
		}
		p.printTopics(w, begin, m)
		printf(w, "\nThe model is in %s\n", output)
	})
}
