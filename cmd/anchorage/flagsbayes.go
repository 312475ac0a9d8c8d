// This file holds the flags of variational inference.

package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"anchorage/bayes"
	"anchorage/model"
	"anchorage/model/fit"
)

// bayesFlags say what is learned by variational inference, and how.
type bayesFlags struct {
	source  sourceFlags
	options fit.BayesOptions
	model   string
	init    string
	test    int
}

// add adds the flags of the model, the algorithm and the documents.
func (f *bayesFlags) add(flags *pflag.FlagSet) {
	o := &f.options
	flags.StringVar(&f.model, "model", "", "bnmf, cnmf or lda (required)")
	flags.IntVarP(&o.Topics, "topics", "k", 0, "number of topics (required)")
	flags.BoolVar(&o.Plan.Batch, "batch", false, "use the batch algorithm: every iteration reads all documents and computes a bound, which never falls")
	flags.IntVar(&o.BatchSize, "batch-size", 1000, "documents of a mini-batch")
	flags.IntVar(&o.Plan.Epochs, "epochs", 1, "how often every document is read")
	flags.IntVar(&o.Plan.Iterations, "iterations", 100, "iterations of the batch algorithm, at most")
	flags.Float64Var(&o.Plan.Tolerance, "tolerance", 1e-5, "the batch algorithm ends when the bound grows by less than this share")
	flags.Float64Var(&o.Delay, "t0", 1, "delay of the step size (t0+t)^-kappa, with t from 1")
	flags.Float64Var(&o.Forgetting, "kappa", 0.5, "exponent of the step size, from 0.5 to 1")
	flags.Float64Var(&o.C0, "c0", 0, "prior of the topics: Gamma(c0/V, c0), or Dirichlet(c0/V); 0 for V/20")
	flags.Float64Var(&o.A0, "a0", 0, "prior of a document's topics: Gamma(a0, b0), or Dirichlet(a0); 0 for 1/K")
	flags.Float64Var(&o.B0, "b0", 0, "see --a0; 0 for 1/K")
	flags.IntVar(&o.Latent, "latent", 0, "dimension of the locations of cnmf; 0 for 50, or K if that is less")
	flags.Float64Var(&o.Variance, "variance", 0, "prior of the topics' locations: N(0, variance); 0 for 1/latent")
	flags.BoolVar(&o.LearnPriors, "learn-priors", false, "learn c0, a0 and b0 from the documents, beginning with the values given; not with --batch")
	flags.IntVar(&o.LocalIterations, "local-iterations", 100, "iterations over a document's variables, at most")
	flags.Float64Var(&o.LocalTolerance, "local-tolerance", 1e-3, "they end when the variables change by less than this share")
	flags.StringVar(&f.init, "init", "", "model whose topics to begin with, in place of random ones")
	flags.IntVar(&f.test, "test-every", 10, "test one in this many batches before learning from it; 0 for none")
	flags.BoolVar(&o.Plan.InOrder, "in-order", false, "read documents in their order, not at random")
	seedFlag(flags, &o.Seed)
}

// complete checks the flags and turns them into options.
func (f *bayesFlags) complete(ctx context.Context) error {
	if err := f.check(); err != nil {
		return err
	}
	o := &f.options
	o.Model = bayes.Model(f.model)
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
	if f.model == "" {
		return &usageError{errors.New("the model is missing: give it with --model bnmf, cnmf or lda")}
	}
	if o.Plan.Batch && o.LearnPriors {
		return &usageError{errors.New("--learn-priors needs mini-batches: leave out --batch")}
	}
	return needTopics(o.Topics)
}
