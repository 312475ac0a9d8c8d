// This file holds the flags of variational inference.

package main

import (
	"context"
	"errors"

	"anchorage/bayes"
	"anchorage/model"
	"anchorage/model/fit"
)

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
		models = append(models, word{string(m), map[bayes.Model]string{bayes.BNMF: "Bayesian NMF", bayes.CNMF: "correlated NMF", bayes.LDA: "latent Dirichlet allocation"}[m], nil})
	}
	expert := func(name, usual string, to any, values values, help string) row {
		return row{name: name, layer: setting, to: to, usual: usual, values: values, help: help}
	}
	parameter := reals(0, bayes.MostParameter)
	return []row{
		{name: "model", group: topicsGroup, to: &o.Model, values: choice(models...), help: "the model (required)"},
		topicsRow(&o.Topics),
		{name: "batch", group: topicsGroup, to: &o.Plan.Batch, values: boolean, help: "every iteration reads all documents; the bound never falls"},
		{name: "epochs", group: topicsGroup, to: &o.Plan.Epochs, usual: "1", values: wholes(1, mostRounds), help: "how often every document is read"},
		{name: "init", group: topicsGroup, to: &f.init, values: anyFolder, help: "model whose topics to begin with, in place of random ones"},
		seedRow(&o.Seed),
		expert("batch-size", "1000", &o.BatchSize, wholes(1, bayes.MostBatch), "documents of a mini-batch"),
		expert("iterations", "100", &o.Plan.Iterations, wholes(1, mostRounds), "most iterations with --batch"),
		expert("tolerance", "1e-05", &o.Plan.Tolerance, reals(0, 1), "--batch ends when the bound grows by less than this share"),
		expert("t0", "1", &o.Delay, reals(leastPositive, bayes.MostParameter), "delay of the step size (t0+t)^-kappa, with t from 1"),
		expert("kappa", "0.5", &o.Forgetting, reals(0.5, 1), "exponent of the step size"),
		expert("c0", "", &o.C0, parameter, "prior of the topics: Gamma(c0/V, c0), or Dirichlet(c0/V); 0 for V/20"),
		expert("a0", "", &o.A0, parameter, "prior of a document's topics: Gamma(a0, b0), or Dirichlet(a0); 0 for 1/K"),
		expert("b0", "", &o.B0, parameter, "see a0; 0 for 1/K"),
		expert("latent", "", &o.Latent, wholes(0, fit.MostTopics), "dimension of the locations of cnmf; 0 for 50, or K if that is less"),
		expert("variance", "", &o.Variance, parameter, "prior of the topics' locations: N(0, variance); 0 for 1/latent"),
		expert("learn-priors", "", &o.LearnPriors, boolean, "learn c0, a0 and b0 from the documents; not with --batch"),
		expert("local-iterations", "100", &o.LocalIterations, wholes(1, mostRounds), "most iterations over a document's variables"),
		expert("local-tolerance", "0.001", &o.LocalTolerance, reals(leastPositive, 1), "they end when the variables change by less than this share"),
		expert("test-every", "10", &f.test, wholes(0, 1_000_000_000), "test one in this many batches before learning from it; 0 for none"),
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
