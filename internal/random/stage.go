// This file holds the table of stages.

package random

import "fmt"

// Stage says what a random number is for. Its value is part of the function: a changed value changes results, and
// sketches and checkpoints from before cannot be continued. So values are never changed or used again: 2, 3, 5, 7, 20,
// 25, 27 and 40 were of stages that are gone. New stages go to the end.
type Stage uint64

const (
	SketchSigns       Stage = 1  // Ω of a sketch
	EigenStart        Stage = 4  // where the search for eigenpairs starts
	ENNStart          Stage = 6  // the columns that ENN carries beyond K
	MetricSigns       Stage = 8  // Ω of the estimated distances
	MetricHulls       Stage = 9  // random points that the anchors' hull is compared with
	BayesTopics       Stage = 10 // the first topics of variational inference
	BayesLocations    Stage = 11 // the first locations of topics in correlated NMF
	ShuffleDeal       Stage = 12 // the bucket of a document
	ShuffleBuckets    Stage = 13 // the order of buckets in an epoch
	ShuffleDocuments  Stage = 14 // the order of a bucket's documents in an epoch
	HeldOutThirds     Stage = 15 // which of a document's tokens are held out
	SyntheticShares   Stage = 16 // an item's shares in the topics
	SyntheticTurns    Stage = 17 // the topic that the first of K consecutive items has its greatest share in
	SyntheticMixtures Stage = 18 // topic mixtures drawn for a logistic-normal prior
	SyntheticDocument Stage = 19 // the length, the topics and the items of a document
	Test              Stage = 21 // tests
	BasketSample      Stage = 22 // the baskets on which recommendations are learned or measured
	BasketHalf        Stage = 23 // the items of a basket that are held out
	RectifiedPairs    Stage = 26 // the entries of a rectified matrix that are looked at
	SketchTests       Stage = 29 // the columns that test the sketch of a single pass
	RefineDeal        Stage = 30 // the part of an epoch of a refinement in which a document is
	RefineSplit       Stage = 31 // where the search for the parts of a topic starts
	SoakDamage        Stage = 32 // which bits of an artefact are flipped, and where it is cut
	ChooseMultiplier  Stage = 33 // by what a document is multiplied where the noise of co-occurrences is measured
	ChooseStart       Stage = 34 // where the search for the edge of that noise starts
	ChooseHeldOut     Stage = 35 // whether a document is held out while topics are counted
	ChooseTokens      Stage = 36 // which tokens of such a document are predicted
	SoakMoment        Stage = 37 // when a run is disturbed, and how
	SoakTrouble       Stage = 38 // which requests fail, and how
	DiagnosedSample   Stage = 39 // the documents of which the diagnostics know the topics
	RefineHalf        Stage = 42 // the half of the documents that a document is in, for the errors of topics
	RefineShake       Stage = 43 // how the topics that a half starts from are changed
	CertifiedCorpus   Stage = 44 // a corpus on which predicted errors are held against known ones
	SyntheticBasket   Stage = 41 // a family of baskets that is not drawn from topics, and its baskets
	RandomTopics      Stage = 45 // topics that a refinement begins from, to compare with the spectral ones
	SketchNormals     Stage = 46 // Ω of a sketch that is held against published ones
	FormQuestions     Stage = 47 // what a form about topics asks
)

// Use says what the numbers of a stage are.
type Use struct {
	Name  string // in lower case, with hyphens
	Key   string // what a key means
	Index string // what an index means
}

// Stages is the table of all stages.
var Stages = map[Stage]Use{
	SketchSigns:       {"sketch-signs", "item", "group of 64 columns"},
	SketchNormals:     {"sketch-normals", "item", "column"},
	EigenStart:        {"eigen-start", "item", "column"},
	ENNStart:          {"enn-start", "item", "column"},
	MetricSigns:       {"metric-signs", "item", "group of 64 columns"},
	MetricHulls:       {"metric-hulls", "item", "hull·2³² + row"},
	BayesTopics:       {"bayes-topics", "item", "topic"},
	BayesLocations:    {"bayes-locations", "topic", "twice the dimension, and 1 more"},
	ShuffleDeal:       {"shuffle-deal", "number of a document", "0"},
	ShuffleBuckets:    {"shuffle-buckets", "bucket", "epoch"},
	ShuffleDocuments:  {"shuffle-documents", "bucket·2³² + place in it", "epoch"},
	HeldOutThirds:     {"held-out-thirds", "batch·2³² + place in it", "token"},
	SyntheticShares:   {"synthetic-shares", "rank of an item", "draw"},
	SyntheticTurns:    {"synthetic-turns", "rank of an item, divided by K", "draw"},
	SyntheticMixtures: {"synthetic-mixtures", "block of draws", "draw"},
	SyntheticDocument: {"synthetic-document", "number of a document", "draw"},
	SyntheticBasket:   {"synthetic-basket", "number of a basket, 2⁶⁴−1 for the family", "draw"},
	RandomTopics:      {"random-topics", "item", "draw"},
	FormQuestions:     {"form-questions", "0", "draw"},
	Test:              {"test", "", ""},
	BasketSample:      {"basket-sample", "number of a document", "0"},
	BasketHalf:        {"basket-half", "2¹⁶·number of a document + place in it", "kind of split"},
	RectifiedPairs:    {"rectified-pairs", "number of an entry", "draw"},
	SketchTests:       {"sketch-tests", "item", "0"},
	RefineDeal:        {"refine-deal", "number of a document", "epoch"},
	CertifiedCorpus:   {"certified-corpus", "kind of a corpus", "draw, 0 for its seed"},
	RefineHalf:        {"refine-half", "number of a document", "0"},
	RefineShake:       {"refine-shake", "number of an item", "2·topic + half"},
	SoakDamage:        {"soak-damage", "number of the damage", "which draw"},
	ChooseMultiplier:  {"choose-multiplier", "number of a document", "0"},
	ChooseStart:       {"choose-start", "item", "column"},
	ChooseHeldOut:     {"choose-held-out", "number of a document", "0"},
	ChooseTokens:      {"choose-tokens", "number of a document", "token"},
	SoakMoment:        {"soak-moment", "number of the draw", "0"},
	SoakTrouble:       {"soak-trouble", "number of the request", "whether, and how"},
	DiagnosedSample:   {"diagnosed-sample", "number of a document", "0"},
	RefineSplit:       {"refine-split", "number of an item", "group of 64 topics"},
}

// String returns the name of the stage.
func (s Stage) String() string {
	if use, ok := Stages[s]; ok {
		return use.Name
	}
	return fmt.Sprintf("stage %d", uint64(s))
}
