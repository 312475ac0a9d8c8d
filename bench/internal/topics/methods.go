// This file lists the methods whose topics are compared: settings of our own, and those of other programs.

package topics

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/model"
)

// Variant is a setting of our own method.
type Variant struct {
	Name, Note string
	set        func(o *model.Options) // changes the defaults; topics, seed and workers are set already
	parts      int                    // sketches of as many parts of the documents are merged; 0 for a fit of the whole
}

// Variants are our settings, in the order of the tables.
var Variants = []Variant{
	{"default", "as `anchorage fit` does it", func(*model.Options) {}, 0},
	{"no-refine", "without refinement (`--refine none`), as all settings below but the next two", spectral, 0},
	{"reading", "with `--for reading`", func(o *model.Options) { o.Refine.For = refine.ForReading }, 0},
	{"prediction", "with `--for prediction`", func(o *model.Options) { o.Refine.For = refine.ForPrediction }, 0},
	{"one-pass", "one pass over the documents once the items are counted (`--passes 1`)", onePass, 0},
	{"merged", "ten sketches of a tenth of the documents each, merged (`sketch --passes 1`, `merge`)", onePass, 10},
	{"published", "everything as published (`--paper`)", asPublished, 0},
	{"equal-weights", "without item weights (`--item-weights none`)", func(o *model.Options) { spectral(o); o.Sketch.ItemWeights = model.WeightsNone }, 0},
	{"no-evidence", "every row taken for certain (`--evidence=false`)", func(o *model.Options) { spectral(o); o.Sketch.NoEvidence = true }, 0},
	{"no-polish", "mixtures as the anchors give them (`--polish none`)", func(o *model.Options) { spectral(o); o.Anchor.NoPolish = true }, 0},
	{"uniform", "with `--normalization uniform`", func(o *model.Options) { spectral(o); o.Rectify.Normalization = model.NormalizeUniform }, 0},
	{"exact-sums", "with `--row-sums exact`", func(o *model.Options) { spectral(o); o.Anchor.RowSums = anchor.RowSumsExact }, 0},
}

// spectral leaves out the refinement.
func spectral(o *model.Options) { o.Refine.Passes = model.NoRefinement }

// peerMethods are the methods of other programs, which peers/topics.py runs.
var peerMethods = []struct{ name, note string }{
	{"nmf", "scikit-learn's MiniBatchNMF on tf-idf weights, 20 passes in batches of an eighth of the documents, from 256 to 4,096; a component divided by its sum is p(w|k)"},
	{"nmf-early", "the same in batches of 1,024 documents, which ends as soon as the library's own rule sees no more improvement, at 20 passes at the latest"},
	{"lda", "scikit-learn's LatentDirichletAllocation on counts, online variational Bayes, 10 passes"},
	{"lsi", "scikit-learn's TruncatedSVD on tf-idf weights (latent semantic indexing). A component has both signs and no sign of its own: it is turned so that the greater part of its square is positive, what is negative then becomes 0, and the rest divided by its sum stands for p(w|k)"},
}

// Methods are the names of all methods.
func Methods() []string {
	var names []string
	for _, v := range Variants {
		names = append(names, v.Name)
	}
	for _, p := range peerMethods {
		names = append(names, p.name)
	}
	return names
}

// isPeer says whether another program runs the method.
func isPeer(method string) bool {
	for _, p := range peerMethods {
		if p.name == method {
			return true
		}
	}
	return false
}

// FitOptions returns the options of one of our variants.
func FitOptions(variant string, topics int, seed uint64, workers int) (model.Options, error) {
	at := indexOf(variant)
	if at < 0 {
		return model.Options{}, fmt.Errorf("there is no method %q: there are %s", variant, strings.Join(Methods(), ", "))
	}
	o := model.Options{Topics: topics, Seed: seed, Run: &model.Run{Workers: workers}}
	Variants[at].set(&o)
	return o, nil
}

// indexOf returns where a variant stands in Variants, or −1.
func indexOf(variant string) int {
	return slices.IndexFunc(Variants, func(v Variant) bool { return v.Name == variant })
}

// onePass leaves out further passes.
func onePass(o *model.Options) { o.Sketch.Passes = 1 }

// asPublished sets everything as the papers have it.
func asPublished(o *model.Options) {
	published := model.Published(o.Method)
	published.Topics, published.Seed, published.Run = o.Topics, o.Seed, o.Run
	*o = published
}
