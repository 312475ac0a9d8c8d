// This file holds the table of stages.

package random

// Stage says what a random number is for. Its value is part of the function: a changed value changes results, and
// sketches and checkpoints from before cannot be continued. So values are never changed or used again: 2, 3, 5, 7, 20,
// 24, 25, 27, 28, 31 and 40 were of stages that are gone. New stages go to the end. Parentheses say what keys and
// indices mean; documents, entries and the like are known by their numbers.
type Stage uint64

const (
	SketchSigns       Stage = 1  // Ω of a sketch (item; group of 64 columns)
	EigenStart        Stage = 4  // where the search for eigenpairs starts (item; column)
	ENNStart          Stage = 6  // the columns that ENN carries beyond K (item; column)
	MetricSigns       Stage = 8  // Ω of the estimated distances (item; group of 64 columns)
	MetricHulls       Stage = 9  // random points that the anchors' hull is compared with (item; hull·2³² + row)
	BayesTopics       Stage = 10 // the first topics of variational inference (item; topic)
	BayesLocations    Stage = 11 // first locations of topics in correlated NMF (topic; twice the dimension, and 1 more)
	ShuffleDeal       Stage = 12 // the bucket of a document (document; 0)
	ShuffleBuckets    Stage = 13 // the order of buckets in an epoch (bucket; epoch)
	ShuffleDocuments  Stage = 14 // the order of a bucket's documents in an epoch (bucket·2³² + place in it; epoch)
	HeldOutThirds     Stage = 15 // which of a document's tokens are held out (batch·2³² + place in it; token)
	SyntheticShares   Stage = 16 // an item's shares in the topics (rank of an item; draw)
	SyntheticTurns    Stage = 17 // the greatest share of the first of K consecutive items (rank of an item/K; draw)
	SyntheticMixtures Stage = 18 // topic mixtures drawn for a logistic-normal prior (block of draws; draw)
	SyntheticDocument Stage = 19 // the length, the topics and the items of a document (document; draw)
	Test              Stage = 21 // tests
	BasketSample      Stage = 22 // the baskets on which recommendations are learned or measured (document; 0)
	BasketHalf        Stage = 23 // what is held out of a basket (2¹⁶·document + place in it; kind of split)
	RectifiedPairs    Stage = 26 // the entries of a rectified matrix that are looked at (entry; draw)
	SketchTests       Stage = 29 // the columns that test the sketch of a single pass (item; 0)
	RefineDeal        Stage = 30 // the part of an epoch of a refinement that has a document (document; epoch)
	ChooseMultiplier  Stage = 33 // multipliers of documents, to measure the noise of co-occurrences (document; 0)
	ChooseStart       Stage = 34 // where the search for the edge of that noise starts (item; column)
	ChooseHeldOut     Stage = 35 // whether a document is held out while topics are counted (document; 0)
	ChooseTokens      Stage = 36 // which tokens of such a document are predicted (document; token)
	SoakMoment        Stage = 37 // when a run is disturbed, and how (draw; 0)
	DiagnosedSample   Stage = 39 // the documents of which the diagnostics know the topics (document; 0)
	RefineHalf        Stage = 42 // the half that a document is in, for the errors of topics (document; 0)
	RefineShake       Stage = 43 // how the topics that a half starts from are changed (item's number; 2·topic + half)
	CertifiedCorpus   Stage = 44 // a corpus to check predicted errors with (kind of a corpus; draw, 0 for its seed)
	SyntheticBasket   Stage = 41 // baskets not drawn from topics (number of a basket, 2⁶⁴−1 for their family; draw)
	RandomTopics      Stage = 45 // topics that a refinement begins from, to compare with the spectral ones (item; draw)
	SketchNormals     Stage = 46 // Ω of a sketch that is held against published ones (item; column)
	FormQuestions     Stage = 47 // what a form about topics asks (0; draw)
	MapStart          Stage = 48 // where an item of a map starts, beside the place of its topics (item; axis)
	MapCells          Stage = 49 // the items around which neighbours are looked for (item; 0)
	RefineSample      Stage = 50 // the topics of a document's tokens in a pass that draws them (2⁸·document + pass; draw)
)
