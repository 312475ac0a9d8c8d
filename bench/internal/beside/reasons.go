// This file says why a program may be better than ours in a figure, by what it computes.

package beside

// kind is what a program computes.
type kind int

// The kinds of programs.
const (
	ours       kind = iota
	components      // of a singular value decomposition
	weighted        // a non-negative factorization of the documents' tf-idf weights
	counted         // a non-negative factorization of their counts
	likelihood      // LDA, by variational inference
	dense           // anchor words on a dense C
)

// Reasons that several kinds share.
const (
	onlyComponents = "A singular value decomposition is the first step of a fit: it ends without anchors, mixtures or refinement."
	fewPasses      = "A factorization of the documents takes a few cheap passes; a fit also rectifies co-occurrences and refines topics."
	lightWords     = "It factors tf-idf weights, in which common words weigh little, and lists words by them."
	allDocuments   = "It fits the documents themselves in every pass; a fit sees co-occurrences, and documents in a few passes of refinement."
	small          = "On a small vocabulary, C itself takes less time than a sketch of it; C grows as N²."
)

// reasons are of kinds and figures. They follow from what the programs compute, and hold whatever the figures are.
var reasons = map[kind]map[string]string{
	components: {seconds.name: onlyComponents, wholeCPU.name: onlyComponents, peak.name: "A decomposition holds its components and little more."},
	weighted:   {seconds.name: fewPasses, wholeCPU.name: fewPasses, npmi.name: lightWords, diversity.name: lightWords, likely.name: allDocuments},
	counted:    {seconds.name: fewPasses, wholeCPU.name: fewPasses, likely.name: allDocuments},
	likelihood: {likely.name: "LDA maximizes a bound on this likelihood in all its passes.", truth.name: "The documents are drawn by the model that LDA assumes."},
	dense:      {seconds.name: small, wholeCPU.name: small},
}

// reason returns the reason for a figure; "" if none is known.
func (k kind) reason(figure string) string { return reasons[k][figure] }
