// This file holds the register of figures: the one place that says of every figure what it is, which values of it are
// better, and from where on it is good. Scores, diagnostics, certificates, reports and docs/figures.md take it from
// here. It also holds the list of figures of some topics, and writes it as JSON.

package metric

import (
	"bytes"
	"encoding/json"
	"math"

	"anchorage/anchor"
)

// Scope says what a figure describes.
type Scope string

// The scopes.
const (
	OfModel       Scope = "model"       // a model and documents, see Score
	OfTopic       Scope = "topic"       // each topic of a model, its diagnostics
	OfCertificate Scope = "certificate" // how far a fit can be relied on
	OfUpdate      Scope = "update"      // what is new to a store
)

// Better says which values of a figure are better.
type Better string

// The directions.
const (
	High    Better = "high" // the higher the better
	Low     Better = "low"  // the lower the better
	One     Better = "1"    // the nearer to 1 the better
	Neither Better = ""     // it describes, and does not judge
)

// Definition is a figure of the register. To add a figure, add a row to Register and compute it.
type Definition struct {
	Name   string  // its key in JSON, its column in tables, its name in requirements
	Scope  Scope   //
	Better Better  //
	Good   float64 // the worst value that is good, inclusive; NaN if no value is called good
	Title  string  // the heading of its column in a report; "" if a report does not list it
	Note   string  // what it says, in a few words
	// with B = p(item | topic), A the joint probabilities of topics, C the co-occurrences, p the probabilities of items
	Formula string
	Page    string // the page below docs, and the place on it, that explains it
}

// IsGood reports whether a value of the figure is good.
func (d *Definition) IsGood(value float64) bool {
	if d.Better == Low {
		return value <= d.Good
	}
	return value >= d.Good
}

// Define returns the definition of a figure. It panics if the register has no such figure in the scope.
func Define(scope Scope, name string) *Definition {
	for i := range Register {
		if Register[i].Scope == scope && Register[i].Name == name {
			return &Register[i]
		}
	}
	panic("metric: no " + string(scope) + " figure " + name)
}

// Defined returns the definitions of a scope, in the order of the register.
func Defined(scope Scope) (of []*Definition) {
	for i := range Register {
		if Register[i].Scope == scope {
			of = append(of, &Register[i])
		}
	}
	return of
}

// none is the bound of a figure of which no value is called good.
var none = math.NaN()

// Register has all figures, in the order in which tables and pages have them.
var Register = []Definition{
	{"documents", OfModel, Neither, none, "", "documents with two tokens or more", "M", ""},
	{"recovery", OfModel, Low, none, "", "how far rows are from their mixtures of the anchors' rows",
		"(1/N) Σ_i ‖C̄_i − Σ_k B̆_ki·C̄_{s_k}‖₂", "papers.md"},
	{"relative_recovery", OfModel, Low, none, "", "the same, relative to C̄", "recovery/‖C̄‖_F", "papers.md"},
	{"base_recovery", OfModel, Low, none, "", "recovery over the items of a smaller vocabulary", "", "papers.md"},
	{"approximation", OfModel, Low, none, "", "what the topics leave of the co-occurrences",
		"‖C − B·A·Bᵀ‖_F", "papers.md"},
	{"relative_approximation", OfModel, Low, none, "", "the same, relative to C", "‖C − B·A·Bᵀ‖_F/‖C‖_F", "papers.md"},
	{"relative_off_diagonal_approximation", OfModel, Low, none, "", "the same, without the diagonals of both",
		"", "papers.md"},
	{"anchor_quality", OfModel, High, none, "", "rank of an anchor in the topics of the others",
		"mean over k and l ≠ k of the rank of s_k in topic l", "papers.md"},
	{"log_relative_volume", OfModel, High, none, "", "volume of the anchors' hull against random hulls", "", "papers.md"},
	{"dominancy", OfModel, Low, none, "", "how much of a topic's co-occurrence is with itself",
		"(1/K) Σ_k A_kk/Σ_l A_kl", "papers.md"},
	{"diagonal_dominancy", OfModel, Low, none, "", "the same, as the thesis prints it", "(1/K) Σ_k A_kk", "papers.md"},
	{"relative_dominancy", OfModel, Low, none, "", "the same, relative to A", "(1/K) Σ_k A_kk/‖A‖_F", "papers.md"},
	{"sum_A", OfModel, One, none, "", "joint probabilities sum to 1", "Σ_kl A_kl", "papers.md"},
	{"specificity_nats", OfModel, High, none, "", "divergence of the topics from the corpus",
		"(1/K) Σ_k Σ_i B_ik·ln(B_ik/p_i)", "papers.md"},
	{"sparsity", OfModel, High, none, "", "topics concentrate on few items",
		"(1/K) Σ_k (√N − ‖b_k‖₁/‖b_k‖₂)/(√N − 1)", "papers.md"},
	{"exclusivity", OfModel, High, none, "", "how much of its items is a topic's own",
		"mean over the first 20 items of B_ik/Σ_l B_il", ""},
	{"dissimilarity", OfModel, High, none, "", "items among a topic's first 20 that no other topic lists",
		"", "papers.md"},
	{"topic_diversity", OfModel, High, none, "", "distinct items of all lists of 25, as a share", "", ""},
	{"coherence_reference", OfModel, High, none, "", "coherence as the authors' program has it",
		"Σ_{j<i} ln((D(i, j) + 0.01)/D(j)), 20 items", "papers.md"},
	{"coherence_umass", OfModel, High, none, "", "coherence, mean over pairs of 10 items", "ln((D(i, j) + 1)/D(j))", ""},
	{"coherence_npmi", OfModel, High, none, "", "coherence, mean over pairs of 10 items; 0 is chance",
		"ln(P(i, j)/(P(i)·P(j)))/−ln P(i, j)", ""},
	{"mst_incoherence", OfModel, Low, none, "", "cost of a tree through 7 prominent and 7 characteristic items",
		"edges cost ½(1 − NPMI)", "papers.md"},
	{"thin_anchors", OfModel, Low, none, "", "topics that rest on thin evidence", "", "accuracy.md#the-certificate"},
	{"duplicate_topics", OfModel, Low, none, "", "pairs of topics that are alike", "", "accuracy.md#the-certificate"},
	{"noisy_mass", OfModel, Low, none, "", "weight of items that are mostly noise", "", "accuracy.md#the-certificate"},
	{"log_likelihood", OfModel, High, none, "", "ln p per token of half of the documents' tokens, given the other half",
		"mean of ln(0.99·Σ_k θ_k·B_ik + 0.01·p_i)", "choose.md"},
	{"blocks", OfModel, One, none, "", "groups of topics that share no item", "", "accuracy.md#the-certificate"},

	{"tokens", OfTopic, Neither, none, "Tokens", "expected tokens of the topic", "n_k", diagnostics},
	{"document_entropy", OfTopic, Neither, none, "Document entropy", "how widely it is spread over documents",
		"−Σ_m (n_mk/n_k)·ln(n_mk/n_k)", diagnostics},
	{"item_length", OfTopic, Neither, none, "Item length", "mean length of its items, in characters", "", diagnostics},
	{"coherence", OfTopic, High, none, "Coherence", "MALLET's: a sum over all pairs of 20 items",
		"Σ_{j<i} ln((D(i, j) + 0.01)/(D(j) + 0.01))", diagnostics},
	{"npmi_10", OfTopic, High, none, "NPMI 10", "coherence of the first 10 items", "see coherence_npmi", diagnostics},
	{"npmi_20", OfTopic, High, none, "NPMI 20", "coherence of the first 20 items", "see coherence_npmi", diagnostics},
	{"umass_10", OfTopic, High, none, "UMass 10", "coherence of the first 10 items", "see coherence_umass", diagnostics},
	{"umass_20", OfTopic, High, none, "", "coherence of the first 20 items", "see coherence_umass", diagnostics},
	{"uniform_distance", OfTopic, Neither, none, "From uniform", "divergence from equal probabilities",
		"Σ_i B_ik·ln(N·B_ik)", diagnostics},
	{"corpus_distance", OfTopic, High, none, "From corpus", "divergence from the frequencies of all items",
		"Σ_i B_ik·ln(B_ik/p_i)", diagnostics},
	{"effective_items", OfTopic, Neither, none, "Effective items", "1/Σ p²", "1/Σ_i B_ik²", diagnostics},
	{"token_document_difference", OfTopic, Low, none, "Token–document", "divergence of tokens from documents: bursts",
		"Jensen–Shannon", diagnostics},
	{"rank_1_documents", OfTopic, High, none, "Rank 1", "documents with the topic in which it is the first",
		"", diagnostics},
	{"allocation_ratio", OfTopic, High, none, "50%/2%", "documents with half of it divided by those with a fiftieth",
		"", diagnostics},
	{"allocation_count", OfTopic, High, none, "≥ 30%", "documents with the topic that have at least 30 % of it",
		"", diagnostics},
	{"exclusivity", OfTopic, High, none, "Exclusivity", "how much of its items is its own",
		"mean over 20 items of B_ik/Σ_l B_il", diagnostics},
	{"top_documents", OfTopic, Neither, none, "", "share of all documents whose greatest topic it is", "", diagnostics},

	{"found_again", OfCertificate, High, 0.8, "", "share of the topics that other documents would give again",
		"share of k with error_k ≤ min(1, 0.95·u_k), unlike others", certificate},
	{"topic_error", OfCertificate, Low, 0.6, "", "distance of a topic from the one that other documents would give",
		"mean over k of ‖b̂_k − b_k‖₁, predicted", certificate},
	{"residual", OfCertificate, Low, 0.2, "", "the greatest residual of an eigenpair", "max ‖C·v − λ·v‖/λ", certificate},
	{"settled", OfCertificate, Low, 1e-3, "", "relative change of the last step of the rectification",
		"‖C_t+1 − C_t‖/‖C_t+1‖", certificate},
	{"negative", OfCertificate, Low, 0.005, "", "negative entries that the rectification left, as a share of all",
		"Σ max(−c_ij, 0)/Σ c_ij", certificate},
	{"largest_topic", OfCertificate, Low, 0.4, "", "share of all tokens of the greatest topic, beyond an equal share",
		"(max_k p(k) − 1/K)/(1 − 1/K)", certificate},

	{"new_documents", OfUpdate, High, 0.5, "", "documents of the new shards, as a share of what is usual",
		"usual: median of other dates, else of earlier updates", gate},
	{"bad_rows", OfUpdate, Low, 0.01, "", "rows of the new shards that cannot be read, as a share", "", gate},
	{"unknown_tokens", OfUpdate, Low, 0.1, "", "tokens of the new shards whose items the store has never met, as a share",
		"", gate},
}

const (
	diagnostics = "diagnostics.md"
	certificate = "accuracy.md#the-certificate"
	gate        = "operations.md#the-quality-gate"
)

// Figure is one figure of the register.
type Figure struct {
	*Definition
	Estimate
}

// Report holds the figures of some topics, always in the same order. Figures that cannot be computed are left out.
type Report struct {
	Figures   []Figure
	Documents int64 // M, the documents with at least two tokens
	Dense     bool  // the distances were computed from C itself and are exact
}

// add appends a figure, unless it is NaN.
func (r *Report) add(name string, e Estimate) {
	if !math.IsNaN(e.Value) {
		r.Figures = append(r.Figures, Figure{Define(OfModel, name), e})
	}
}

// AddFindings adds figures of findings: the number of topics that rest on thin evidence, the number of pairs of topics
// that are alike, the share of all weight of items that are mostly noise, and the number of blocks of topics.
func (r *Report) AddFindings(f *anchor.Findings) {
	r.add("thin_anchors", exactly(float64(len(f.ThinAnchors))))
	r.add("duplicate_topics", exactly(float64(len(f.Duplicates))))
	r.add("noisy_mass", exactly(f.NoisyMass))
	r.add("blocks", exactly(float64(max(len(f.Blocks), 1))))
}

// AddLikelihood adds how well a model predicts documents.
func (r *Report) AddLikelihood(mean, deviation float64) {
	r.add("log_likelihood", Estimate{Value: mean, StandardError: deviation})
}

// addLists adds the figures of lists of items, and of their pairs.
func (r *Report) addLists(lists [][]int, pairs *Pairs) {
	r.Documents = pairs.Documents
	r.add("dissimilarity", exactly(Dissimilarity(Leading(lists, referenceItems))))
	r.add("topic_diversity", exactly(TopicDiversity(lists)))
	r.add("coherence_reference", exactly(ReferenceCoherence(pairs)))
	few := pairs.Leading(coherenceItems)
	r.add("coherence_umass", exactly(UMass(few)))
	r.add("coherence_npmi", exactly(NPMI(few)))
}

// Get returns a figure by its name, and whether there is one.
func (r *Report) Get(name string) (Estimate, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Estimate, true
		}
	}
	return Estimate{}, false
}

// MarshalJSON writes one flat object with the figures in their order. An estimated figure is followed by its standard
// error, under its name with _standard_error. A figure that is not finite, such as the log volume of a flat hull, is
// null.
func (r *Report) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	write := func(name string, value any) error {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(value)
		b.WriteString(`"` + name + `":`)
		b.Write(text)
		return err
	}
	err := write("documents", r.Documents)
	for _, f := range r.Figures {
		if err != nil {
			break
		}
		if math.IsInf(f.Value, 0) {
			err = write(f.Name, nil)
			continue
		}
		if err = write(f.Name, f.Value); err == nil && f.StandardError > 0 {
			err = write(f.Name+"_standard_error", f.StandardError)
		}
	}
	return []byte("{" + b.String() + "}"), err
}
