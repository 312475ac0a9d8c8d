// This file holds the bayes fit command, and the flags of variational inference.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bayes"
	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) bayesFitCommand() *cobra.Command {
	var f bayesFlags
	var extras extraFlags
	var output string
	cmd := &cobra.Command{
		Use:   "fit --model bnmf|cnmf|lda SHARD...",
		Short: "Learn a model by variational inference",
		Long: `Fit learns Bayesian NMF or correlated NMF (Paisley, Blei & Jordan 2014) or online LDA (Hoffman, Blei &
Bach 2010) from shards of documents. It takes mini-batches, in one pass, or in more with --epochs; with --batch
it runs the batch algorithms. It tests every tenth mini-batch before it learns from it: it deals each document's
tokens into thirds, finds the document's variables from two of them, predicts the third, and logs the mean of
the logarithm per token.

It holds V×K numbers of 8 bytes, twice with --batch, and what a mini-batch takes; bayes plan says how much that
is. With --resume=auto, or --time-limit, a run keeps a checkpoint beside its output. Once it was interrupted or
killed, the same command continues from there, and ends with the same bytes.`,
		Example: `  anchorage bayes fit --model bnmf shards/ -k 100 -o model
  anchorage bayes fit --model cnmf shards/ -k 100 --max-items 8000 --epochs 3 -o model
  anchorage bayes fit --model lda --batch docword.nips.txt.gz -k 25 -o nips
  anchorage fit shards/ -k 100 -o anchors
  anchorage bayes fit --model lda shards/ -k 100 --init anchors --set t0=64 -o model`,
		Args: cobra.MinimumNArgs(1),
		RunE: stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output,
			args []string) (*fit.Fitted, error) {
			err := f.complete(ctx)
			if err != nil {
				return nil, err
			}
			if err := extras.check(); err != nil {
				return nil, err
			}
			if err := p.resume.open(ctx, p, run, output, args); err != nil {
				return nil, err
			}
			docs, err := f.source.read(ctx, p, run, out, args, 0, nil)
			if err != nil {
				return nil, err
			}
			defer p.closeDocuments(docs)
			if err := f.source.roomForModel(p, docs.Account, f.options.Topics, output, out); err != nil {
				return nil, err
			}
			f.options.Run, f.options.Extras = run, extras.extras()
			f.options.Output, f.options.Shards = out, f.source.found
			return fit.Bayes(ctx, docs, f.options)
		}, p.printBayes),
	}
	return p.with(cmd, []row{outputRow(&output, "the model, a folder"), p.replaceRow()}, f.rows(), p.resume.rows(),
		extras.documentRows(), extras.reportRows(),
		f.source.of(cmd.Flags()).corpusRows(), []row{p.resume.intervalRow(), f.source.diskRow(), p.topRow()}, p.monitorRows())
}

// printBayes prints the topics of a model and where it lies.
func (p *program) printBayes(s *fit.Fitted, output string) error {
	m := s.Overview()
	value := map[string]any{"output": output, "manifest": &s.Manifest, "left_out": omissions(s.Manifest.Corpus,
		s.Manifest.Skipped),
		"topics": topicViews(m, p.items())}
	return p.print(value, func(w io.Writer) {
		printAccount(w, s.Manifest.Corpus, s.Manifest.Skipped)
		fmt.Fprintln(w)
		r := s.Manifest.Bayes
		begin := strings.TrimSuffix(modelLine(m), ".") + fmt.Sprintf(", by %s.", r.Model)
		if r.HeldOut != nil {
			begin += fmt.Sprintf(" Held-out log-likelihood per token %.4f, after %d documents.", r.HeldOut.LogLikelihood,
				r.HeldOut.Documents)
		}
		if r.Bound != nil {
			begin += fmt.Sprintf(" Bound %.8g after %d iterations.", *r.Bound, r.Steps)
		}
		p.printTopics(w, begin, m)
		printf(w, "\nThe model is in %s\n", output)
	})
}

// bayesFlags say what is learned by variational inference, and how.
type bayesFlags struct {
	source  sourceFlags
	options fit.BayesOptions
	init    string
	test    int
}

// rows are the flags and settings of the model, the algorithm and the documents.
func (f *bayesFlags) rows() []row {
	o := &f.options
	var models []word
	for _, m := range bayes.Models {
		models = append(models, word{string(m), map[bayes.Model]string{bayes.BNMF: "Bayesian NMF",
			bayes.CNMF: "correlated NMF", bayes.LDA: "latent Dirichlet allocation"}[m], nil})
	}
	expert := func(name, usual string, to any, values values, help string) row {
		return row{name: name, layer: setting, to: to, usual: usual, values: values, help: help}
	}
	parameter := reals(0, bayes.MostParameter)
	return []row{
		{name: "model", group: topicsGroup, to: &o.Model, values: choice(models...), help: "the model (required)"},
		topicsRow(&o.Topics),
		{name: "batch", group: topicsGroup, to: &o.Plan.Batch, values: boolean,
			help: "every iteration reads all documents; the bound never falls"},
		{name: "epochs", group: topicsGroup, to: &o.Plan.Epochs, usual: "1", values: wholes(1, mostRounds),
			help: "how often every document is read"},
		{name: "init", group: topicsGroup, to: &f.init, values: anyFolder,
			help: "model whose topics to begin with, in place of random ones"},
		seedRow(&o.Seed),
		expert("batch-size", "1000", &o.BatchSize, wholes(1, bayes.MostBatch), "documents of a mini-batch"),
		expert("iterations", "100", &o.Plan.Iterations, wholes(1, mostRounds), "most iterations with --batch"),
		expert("tolerance", "1e-05", &o.Plan.Tolerance, reals(0, 1), "--batch ends when the bound grows by less than this "+
			"share"),
		expert("t0", "1", &o.Delay, reals(leastPositive, bayes.MostParameter),
			"delay of the step size (t0+t)^-kappa, with t from 1"),
		expert("kappa", "0.5", &o.Forgetting, reals(0.5, 1), "exponent of the step size"),
		expert("c0", "", &o.C0, parameter, "prior of the topics: Gamma(c0/V, c0), or Dirichlet(c0/V); 0 for V/20"),
		expert("a0", "", &o.A0, parameter, "prior of a document's topics: Gamma(a0, b0), or Dirichlet(a0); 0 for 1/K"),
		expert("b0", "", &o.B0, parameter, "see a0; 0 for 1/K"),
		expert("latent", "", &o.Latent, wholes(0, fit.MostTopics), "dimension of the locations of cnmf; 0 for 50, or K if "+
			"that is less"),
		expert("variance", "", &o.Variance, parameter, "prior of the topics' locations: N(0, variance); 0 for 1/latent"),
		expert("learn-priors", "", &o.LearnPriors, boolean, "learn c0, a0 and b0 from the documents; not with --batch"),
		expert("local-iterations", "100", &o.LocalIterations, wholes(1, mostRounds),
			"most iterations over a document's variables"),
		expert("local-tolerance", "0.001", &o.LocalTolerance, reals(leastPositive, 1),
			"they end when the variables change by less than this share"),
		expert("test-every", "10", &f.test, wholes(0, 1_000_000_000), "test one in this many batches before learning from "+
			"it; 0 for none"),
		expert("in-order", "", &o.Plan.InOrder, boolean, "read documents in their order, not at random"),
	}
}

// complete checks the flags and turns them into options.
func (f *bayesFlags) complete(ctx context.Context) error {
	if err := f.check(); err != nil {
		return err
	}
	o := &f.options
	if o.Plan.TestEvery = f.test; f.test == 0 {
		o.Plan.TestEvery = bayes.NoTests
	}
	if o.Plan.Tolerance == 0 {
		o.Plan.Tolerance = 1e-300 // only an iteration that changes nothing ends the algorithm early
	}
	if err := o.Check(); err != nil {
		return &usageError{err}
	}
	if f.init == "" {
		return nil
	}
	var err error
	o.Init, err = model.Load(ctx, f.init)
	return err
}

// check checks the flags that must be given.
func (f *bayesFlags) check() error {
	o := &f.options
	if o.Model == "" {
		return &usageError{errors.New("the model is missing: give it with --model bnmf, cnmf or lda")}
	}
	if o.Plan.Batch && o.LearnPriors {
		return &usageError{errors.New("--set learn-priors needs mini-batches: leave out --batch")}
	}
	return needTopics(o.Topics)
}
