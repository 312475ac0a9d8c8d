// This file defines what diagnostics say of every topic, and the tables that hold it.

package model

// Diagnostics are figures about each of the K topics that help a reader to judge it, after those of MALLET; docs/diagnostics.md has the
// formulas and sources. Slices of figures have a value per topic, NaN where it is unknown. "Items of a topic" are its TopItems prominent ones,
// and logarithms are natural.
type Diagnostics struct {
	// What does not need the topics of documents.

	UniformDistance []float64 // Kullback–Leibler divergence of p(item | topic) from equal probabilities
	CorpusDistance  []float64 // the same from p(item)
	EffectiveItems  []float64 // 1/Σ_i p(i | topic)²
	Exclusivity     []float64 // mean over the topic's items of p(i | topic)/Σ_l p(i | topic l)
	ItemLength      []float64 // mean length of the topic's items, in characters; NaN if the ids of the corpus are numbers

	// Coherence, from the documents that hold items alone and together: the means over pairs of the first 10 and of all 20 items, and
	// MALLET's sum over all pairs.

	NPMI10, NPMI20, UMass10, UMass20 []float64
	Coherence                        []float64 // Σ_{j<i} ln((D(i, j) + 0.01)/(D(j) + 0.01))

	// What documents say whose topics were inferred, or a sample of them.

	Tokens                  []float64 // expected tokens of the topic in all documents, scaled from the sample
	DocumentEntropy         []float64 // entropy of how the topic's tokens are spread over documents
	TokenDocumentDifference []float64 // Jensen–Shannon divergence between tokens and documents of the topic's items
	Rank1                   []float64 // of documents with the topic, the share that has more of it than of any other
	AllocationRatio         []float64 // documents with at least 50 % of the topic divided by those with at least 2 %
	AllocationCount         []float64 // of documents with the topic, the share that has at least 30 % of it
	TopDocuments            []float64 // of all documents, the share that has more of the topic than of any other

	// Examples are documents with much of each topic, at most ExampleDocuments, most first.
	Examples [][]ExampleDocument
	// Map says where items lie in the plane of the anchors; nil if the model has no factor.
	Map *Map
}

// ExampleDocuments is the number of example documents of each topic.
const ExampleDocuments = 3

// ExampleDocument is a document that has much of a topic.
type ExampleDocument struct {
	Shard string  // the input that it comes from
	Row   int64   // its number among the documents of the shard, from 0
	Share float64 // of the topic, the posterior mean
	ID    string  // empty if unknown
	Text  string  // how it begins; empty if it was not asked for or is unknown
}

// Course is an iteration of a rectification; see rectify.Iteration.
type Course struct {
	Change      float64 // relative to the matrix before
	Density     float64 // share of entries that were corrected
	Shift       float64 // r
	Corrections float64 // the sum of all corrections
}

// DiagnosticsRecord says what diagnostics rest on.
type DiagnosticsRecord struct {
	Documents int64 `json:"documents"` // that coherence was counted in; 0 if the documents were not at hand
	Sampled   int64 `json:"sampled"`   // those of them whose topics were inferred
	Texts     bool  `json:"texts,omitempty"`
}

// The files of diagnostics.
const (
	diagnosticsFile = "diagnostics.parquet"
	examplesFile    = "examples.parquet"
	courseFile      = "course.parquet"
	mapFile         = "map.parquet"
)

// diagnosed are the columns of diagnostics.parquet.
var diagnosed = []struct {
	name string
	of   func(*Diagnostics) *[]float64
}{
	{"tokens", func(d *Diagnostics) *[]float64 { return &d.Tokens }},
	{"document_entropy", func(d *Diagnostics) *[]float64 { return &d.DocumentEntropy }},
	{"item_length", func(d *Diagnostics) *[]float64 { return &d.ItemLength }},
	{"coherence", func(d *Diagnostics) *[]float64 { return &d.Coherence }},
	{"npmi_10", func(d *Diagnostics) *[]float64 { return &d.NPMI10 }},
	{"npmi_20", func(d *Diagnostics) *[]float64 { return &d.NPMI20 }},
	{"umass_10", func(d *Diagnostics) *[]float64 { return &d.UMass10 }},
	{"umass_20", func(d *Diagnostics) *[]float64 { return &d.UMass20 }},
	{"uniform_distance", func(d *Diagnostics) *[]float64 { return &d.UniformDistance }},
	{"corpus_distance", func(d *Diagnostics) *[]float64 { return &d.CorpusDistance }},
	{"effective_items", func(d *Diagnostics) *[]float64 { return &d.EffectiveItems }},
	{"token_document_difference", func(d *Diagnostics) *[]float64 { return &d.TokenDocumentDifference }},
	{"rank_1_documents", func(d *Diagnostics) *[]float64 { return &d.Rank1 }},
	{"allocation_ratio", func(d *Diagnostics) *[]float64 { return &d.AllocationRatio }},
	{"allocation_count", func(d *Diagnostics) *[]float64 { return &d.AllocationCount }},
	{"exclusivity", func(d *Diagnostics) *[]float64 { return &d.Exclusivity }},
	{"top_documents", func(d *Diagnostics) *[]float64 { return &d.TopDocuments }},
}

// newDiagnostics returns diagnostics of k topics that say nothing.
func newDiagnostics(k int) *Diagnostics {
	d := &Diagnostics{Examples: make([][]ExampleDocument, k)}
	for _, column := range diagnosed {
		*column.of(d) = unknowns(k)
	}
	return d
}
