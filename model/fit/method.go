// This file defines the table of methods. A method says which functions lead from documents to topics.

package fit

import (
	"context"
	"slices"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/rectify"
)

// Method names a way from documents to topics.
type Method string

// The methods. The first three never hold C. The others hold it, and refuse vocabularies for which it is too large.
const (
	LRJSMF Method = "lrjsmf"
	PALM   Method = "palm"
	IPALM  Method = "ipalm"
	EnnLaw Method = "enn"
	RAW    Method = "raw"
	AW     Method = "aw"
)

// method describes a method. To add one, add an entry to the table, and its functions.
type method struct {
	name    Method
	summary string // for help
	// start makes passes over the documents and finds eigenpairs, or counts a dense C.
	start func(context.Context, *corpus.Corpus, *Options) (*Sketched, error)
	// rectify turns eigenpairs into a rectified factor, or rectifies a dense C. Nil leaves out the rectification.
	rectify func(context.Context, *Sketched, *Options) (*rectify.Result, error)
	// rectifier is the name of the rectification in manifests.
	rectifier string
	// infer finds the topics. inference is its name in manifests.
	infer     func(context.Context, *Rectified, anchor.Options) (*anchor.Topics, error)
	inference string
	// bytes returns the memory of the rectification. It is nil if a dense C is limited as a whole.
	bytes func(m *memoryModel, kept int64, density float64) int64
	dense bool // whether it holds C
	// published is the papers' number of iterations; 0 for the method's own.
	published int
}

// methods is the table, in the order in which help lists it. init fills it, because its functions look up methods in
// it.
var methods []method

func init() {
	methods = []method{
		{name: LRJSMF, summary: "sketch, ENN and LAW, at any size",
			start: sketchCorpus, rectify: rectifyENN, rectifier: "enn", infer: inferLAW, inference: "law",
			bytes: ennBytes, published: rectify.PublishedIterations},
		{name: PALM, summary: "sketch, PALM through passes over the documents, and LAW, at any size",
			start: sketchCorpus, rectify: rectifyPALM(rectify.PALM), rectifier: "palm", infer: inferLAW, inference: "law",
			bytes: palmBytes(rectify.PALMBytes)},
		{name: IPALM, summary: "the same with inertia, at any size",
			start: sketchCorpus, rectify: rectifyPALM(rectify.IPALM), rectifier: "ipalm", infer: inferLAW, inference: "law",
			bytes: palmBytes(rectify.IPALMBytes)},
		{name: EnnLaw, summary: "exact eigenpairs of a dense matrix, ENN and LAW",
			start: exactEigenpairs, rectify: rectifyENN, rectifier: "enn", infer: inferLAW, inference: "law",
			bytes: ennBytes, dense: true, published: rectify.PublishedIterations},
		{name: RAW, summary: "alternating projection on a dense matrix, and AW",
			start: countRanked, rectify: rectifyAP, rectifier: "raw", infer: inferAW, inference: "aw", dense: true},
		{name: AW, summary: "AW on a dense matrix without rectification, the papers' baseline",
			start: countRanked, infer: inferAW, inference: "aw", dense: true},
	}
}

// Methods returns all methods, in the order in which help lists them.
func Methods() []Method {
	names := make([]Method, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// Summary describes the method in one line.
func (m Method) Summary() string { return m.entry().summary }

// Dense reports whether the method holds C, which takes 8·N² bytes.
func (m Method) Dense() bool { return m.entry().dense }

// Passes returns the number of passes that the method makes over the documents, given the number that the eigenpairs
// take. 0 means unknown, and 2 that the items are counted before C is allocated.
func (m Method) Passes(eigenpairs int) int {
	switch {
	case m.Dense():
		return 2
	case !m.RectifiesByENN():
		return 0
	}
	return eigenpairs
}

// RectifiesByENN reports whether the method rectifies by ENN.
func (m Method) RectifiesByENN() bool { return m.entry().rectifier == "enn" }

// entry returns the method's entry in the table. The entry of "" is LRJSMF's.
func (m Method) entry() *method {
	at := slices.IndexFunc(methods, func(entry method) bool { return entry.name == m })
	return &methods[max(at, 0)]
}

func (m Method) known() bool { return m == "" || m.entry().name == m }

// ennBytes returns the memory of ENN.
func ennBytes(m *memoryModel, kept int64, density float64) int64 {
	return rectify.ENNBytes(m.shape(kept, density))
}

// palmBytes returns the function for the memory of PALM or IPALM.
func palmBytes(of func(rectify.Shape) int64) func(*memoryModel, int64, float64) int64 {
	return func(m *memoryModel, kept int64, density float64) int64 {
		return m.corpus.PassBytes() + of(m.shape(kept, density))
	}
}

// rectifyENN turns the eigenpairs into a factor and rectifies it by ENN.
func rectifyENN(ctx context.Context, s *Sketched, o *Options) (*rectify.Result, error) {
	opts := s.rectifyOptions(o)
	if o.normalization() == NormalizeMarginal {
		opts.Marginals = s.Marginals.Probabilities()
	}
	return rectify.ENN(s.rectifying(ctx), s.factor(), opts)
}

// rectifyPALM returns the function that rectifies the factor by PALM or IPALM.
func rectifyPALM(by rectify.FactorRectifier) func(context.Context, *Sketched, *Options) (*rectify.Result, error) {
	return func(ctx context.Context, s *Sketched, o *Options) (*rectify.Result, error) {
		return by(s.rectifying(ctx), s.factor(), s.rectifyOptions(o))
	}
}

// rectifyAP rectifies a dense C in place.
func rectifyAP(ctx context.Context, s *Sketched, o *Options) (*rectify.Result, error) {
	opts := s.rectifyOptions(o)
	opts.MostBytes = o.Run.denseBytes()
	s.run.kept.leave()
	return rectify.AP(ctx, s.dense, o.Topics, opts)
}

// inferLAW finds the topics of a factor.
func inferLAW(ctx context.Context, r *Rectified, opts anchor.Options) (*anchor.Topics, error) {
	return anchor.LAW(ctx, r.Factor, r.Marginals.Probabilities(), opts)
}

// inferAW finds the topics of a dense C.
func inferAW(ctx context.Context, r *Rectified, opts anchor.Options) (*anchor.Topics, error) {
	return anchor.AW(ctx, r.dense, opts)
}

// Instructions returns the instruction set that the kernels use on this machine: avx512, avx2 or go. Their results may
// differ by rounding.
func Instructions() string { return kernel.Instructions() }
