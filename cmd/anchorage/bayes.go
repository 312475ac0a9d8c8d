// This file holds the bayes fit and bayes eval commands, and the flags of variational inference.

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
	return p.command("bayes fit", cobra.MinimumNArgs(1), stage(p, model.KindModel, &output, func(ctx context.Context,
		w work) (*fit.Fitted, error) {
		if err := f.complete(); err != nil {
			return nil, err
		}
		if err := extras.check(); err != nil {
			return nil, err
		}
		if err := p.resume.open(ctx, p, w.run, w.path, w.args); err != nil {
			return nil, err
		}
		f.source.corpus.KeepLeft = true
		docs, err := f.source.read(ctx, p, w, 0)
		if err != nil {
			return nil, err
		}
		defer p.closeDocuments(docs)
		if err := f.source.roomForModel(p, docs.Account, f.options.Topics, w); err != nil {
			return nil, err
		}
		f.options.Run, f.options.Extras = w.run, extras.extras()
		f.options.Output, f.options.Shards = w.out, f.source.found
		fitted, err := fit.Bayes(ctx, docs, f.options)
		if err == nil {
			fitted.Manifest.Reading = remembered(p.flags)
		}
		return fitted, err
	}, p.printBayes), []row{outputRow(&output, "the model, a folder"), p.replaceRow()}, f.rows(), p.resume.rows(),
		extras.documentRows(), extras.reportRows(), f.source.corpusRows(),
		[]row{f.source.diskRow(), p.topRow()}, p.monitorRows())
}

// printBayes prints the topics of a model and where it lies.
func (p *program) printBayes(s *fit.Fitted, output string) error {
	m := s.Overview()
	return p.print(p.modelValue(s, m, output), func(w io.Writer) {
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
		p.printEnd(w, m, output, output)
	})
}

// bayesFlags say what is learned by variational inference, and how.
type bayesFlags struct {
	source  sourceFlags
	options fit.BayesOptions
	test    int
}

// rows are the flags and settings of the model, the algorithm and the documents.
func (f *bayesFlags) rows() []row {
	o := &f.options
	models := wordsOf(bayes.Models, []string{"Bayesian NMF", "correlated NMF", "latent Dirichlet allocation"})
	parameter := reals(0, bayes.MostParameter)
	return []row{
		topicsGroup.flag("model", &o.Model, choice(models...), "the model (required)"),
		topicsRow(&o.Topics),
		topicsGroup.flag("batch", &o.Plan.Batch, boolean, "every iteration reads all documents; the bound never falls"),
		topicsGroup.flag("epochs", &o.Plan.Epochs, wholes(1, mostRounds), "how often every document is read").by("1"),
		seedRow(&o.Seed),
		expert("batch-size", &o.BatchSize, wholes(1, bayes.MostBatch), "documents of a mini-batch").by("1000"),
		expert("iterations", &o.Plan.Iterations, wholes(1, mostRounds), "most iterations with --batch").by("100"),
		expert("tolerance", &o.Plan.Tolerance, reals(0, 1),
			"--batch ends when the bound grows by less than this share").by("1e-05"),
		expert("t0", &o.Delay, reals(leastPositive, bayes.MostParameter),
			"delay of the step size (t0+t)^-kappa, with t from 1").by("1"),
		expert("kappa", &o.Forgetting, reals(0.5, 1), "exponent of the step size").by("0.5"),
		expert("c0", &o.C0, parameter, "prior of the topics: Gamma(c0/V, c0), or Dirichlet(c0/V); 0 for V/20"),
		expert("a0", &o.A0, parameter, "prior of a document's topics: Gamma(a0, b0), or Dirichlet(a0); 0 for 1/K"),
		expert("b0", &o.B0, parameter, "see a0; 0 for 1/K"),
		expert("latent", &o.Latent, wholes(0, fit.MostTopics),
			"dimension of the locations of cnmf; 0 for 50, or K if that is less"),
		expert("variance", &o.Variance, parameter, "prior of the topics' locations: N(0, variance); 0 for 1/latent"),
		expert("learn-priors", &o.LearnPriors, boolean, "learn c0, a0 and b0 from the documents; not with --batch"),
		expert("test-every", &f.test, wholes(0, 1_000_000_000),
			"test one in this many batches before learning from it; 0 for none").by("10"),
		expert("in-order", &o.Plan.InOrder, boolean, "read documents in their order, not at random"),
	}
}

// complete checks the flags and turns them into options.
func (f *bayesFlags) complete() error {
	o := &f.options
	if o.Model == "" {
		return &usageError{errors.New("the model is missing: give it with --model bnmf, cnmf or lda")}
	}
	if o.Plan.Batch && o.LearnPriors {
		return &usageError{errors.New("--set learn-priors needs mini-batches: leave out --batch")}
	}
	if err := needTopics(o.Topics, ""); err != nil {
		return err
	}
	if o.Plan.TestEvery = f.test; f.test == 0 {
		o.Plan.TestEvery = bayes.NoTests
	}
	if o.Plan.Tolerance == 0 {
		o.Plan.Tolerance = 1e-300 // only an iteration that changes nothing ends the algorithm early
	}
	if err := o.Check(); err != nil {
		return &usageError{err}
	}
	return nil
}

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
