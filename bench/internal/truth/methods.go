// This file lists the methods that learn from a known truth: the floor, stages of ours on their own, whole fits, variational
// inference, and other programs.

package truth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"anchorage/bayes"
	"anchorage/bench/internal/topics"
	"anchorage/corpus"
	"anchorage/model"
)

// Floor is the method that is told the topic of every token.
const Floor = "floor"

// learner learns topics from an open corpus. Those without one run in the grid's own process, on documents as they are drawn.
type learner func(ctx context.Context, docs *corpus.Corpus, o *order) (*learned, error)

// Posterior is the method that knows the prior and begins at the truth, but sees the documents alone from there on.
const Posterior = "posterior"

// method is a row of the tables.
type method struct {
	name, note string
	learn      learner
}

// methods are all methods, in the order of the tables. init fills it, since its functions look up methods in it.
var methods []method

func init() {
	methods = []method{
		{Floor, "the topic of every token known: B counted (maximum likelihood), A from the pairs of tokens of a document", nil},
		{Posterior, "collapsed Gibbs sampling that knows the prior of documents and begins at the drawn topics: what the documents tell, if no start misleads", nil},
		{"enn-exact", "accurate eigenpairs, ENN, counted row sums", nil},
		{"enn-factor", "accurate eigenpairs, ENN, row sums of the factor, as published", nil},
		{"none-exact", "accurate eigenpairs, no rectification, counted row sums", nil},
		{"enn-exact-auto", "eigenpairs as of `--passes auto`, ENN, counted row sums", nil},
	}
	for _, v := range topics.Variants {
		methods = append(methods, method{v.Name, v.Note, byFit(v.Name)})
	}
	methods = append(methods, []method{
		{denseMethod, "C held whole, rectified by alternating projection; topics by AW", byFit(denseMethod)},
		{"joined", "`anchorage bayes fit --model lda --init` from the topics of `equal-weights`, 1 epoch", byBayes(true, 1, false)},
		{"joined-batch", "`anchorage bayes fit --model lda --batch --init` from the topics of `equal-weights`", byBayes(true, 0, true)},
		{"lda", "`anchorage bayes fit --model lda` from a random start, 1 epoch", byBayes(false, 1, false)},
		{"lda-10", "the same, `--epochs 10`", byBayes(false, 10, false)},
		{"lda-batch", "`anchorage bayes fit --model lda --batch` from a random start", byBayes(false, 0, true)},
		{"sklearn-lda", "scikit-learn's LatentDirichletAllocation: batch, up to 100 iterations, until the perplexity of the documents, tested every fifth, falls by less than 0.1", byPeer},
		{"sklearn-lda-online", "the same: online, batches of 1/32 of the documents, from 256 to 1,024, learning_offset 1.1, learning_decay 0.51, 20 passes", byPeer},
		{"sklearn-nmf", "scikit-learn's NMF on counts: Kullback-Leibler divergence, solver mu, init nndsvda, up to 1,000 iterations with tolerance 0.0001, as in the library's example but without its penalty", byPeer},
		{"gensim-lda", "gensim's LdaModel as its tutorial has it: alpha and eta learned, chunks of 2,000 documents, 20 passes, 400 iterations", byPeer},
		{"gensim-nmf", "gensim's Nmf on counts (Frobenius norm, online), 20 passes in chunks of 2,000 documents", byPeer},
	}...)
}

// StageMethods are the methods that compare stages, by name: what is done with the leading eigenpairs of C, and which row
// sums LAW divides by. The last takes eigenpairs as a fit does by default, when they are accurate to
// sketch.DefaultTolerance; the others take those of Grid.Tolerance.
var StageMethods = []string{"enn-exact", "enn-factor", "none-exact", "enn-exact-auto"}

// Methods are the names of all methods.
func Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// find returns a method. The error lists all of them.
func find(name string) (method, error) {
	at := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if at < 0 {
		return method{}, fmt.Errorf("there is no method %q: there are %s", name, strings.Join(Methods(), ", "))
	}
	return methods[at], nil
}

// learned is what a method has found.
type learned struct {
	row                func(dst []float64, i int) // sets dst to row i of B, by the items of the corpus
	joint              []float64                  // A, K×K
	anchors            []int                      // nil without
	passes, iterations int
}

// denseMethod is the method that rectifies a dense C by alternating projection and finds topics by AW.
const denseMethod = "ap+aw"

// fitOptions returns the options of a whole fit.
func fitOptions(name string, o *order) (model.Options, error) {
	if name != denseMethod {
		return topics.FitOptions(name, o.Run.Topics, o.Run.Seed, o.Workers)
	}
	options, err := topics.FitOptions("published", o.Run.Topics, o.Run.Seed, o.Workers)
	options.Method = model.RAW
	return options, err
}

// byFit learns as `anchorage fit` does, with the settings of that name.
func byFit(name string) learner {
	return func(ctx context.Context, docs *corpus.Corpus, o *order) (*learned, error) {
		options, err := fitOptions(name, o)
		if err != nil {
			return nil, err
		}
		fitted, err := model.Fit(ctx, docs, options)
		if err != nil {
			return nil, err
		}
		found := resultOf(fitted)
		found.passes = fitted.Manifest.Sketch.Passes
		if fitted.Manifest.Rectify != nil {
			found.iterations = fitted.Manifest.Rectify.Iterations
		}
		return found, nil
	}
}

// byBayes learns as `anchorage bayes fit --model lda` does: so many epochs, or in batch; from the topics of a fit with equal weights
// where init says so.
func byBayes(init bool, epochs int, batch bool) learner {
	return func(ctx context.Context, docs *corpus.Corpus, o *order) (*learned, error) {
		options := model.BayesOptions{Options: bayes.Options{Model: bayes.LDA, Topics: o.Run.Topics, Seed: o.Run.Seed, Workers: o.Workers},
			Plan: bayes.Plan{Batch: batch, Epochs: epochs, TestEvery: bayes.NoTests}, Run: &model.Run{Workers: o.Workers, SpillDir: o.Scratch}}
		if init {
			from, err := fitOptions("equal-weights", o)
			if err != nil {
				return nil, err
			}
			fitted, err := model.Fit(ctx, docs, from)
			if err != nil {
				return nil, err
			}
			options.Init = fitted.Loaded()
		}
		fitted, err := model.Bayes(ctx, docs, options)
		if err != nil {
			return nil, err
		}
		found := resultOf(fitted)
		found.iterations = int(fitted.Manifest.Bayes.Steps)
		return found, nil
	}
}

// resultOf returns the topics of a fit of ours.
func resultOf(fitted *model.Fitted) *learned {
	whole := fitted.Loaded()
	return &learned{row: func(dst []float64, i int) { copy(dst, whole.Items.Row(i)) }, joint: whole.TopicJoint, anchors: whole.Anchors}
}
