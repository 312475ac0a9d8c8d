// Package items counts which items occur together and recommends items for baskets.
//
// Topics by themselves do not recommend: a model of rank K says what kind of basket this is, not which lid fits which
// pot. So Pairs keeps, for every item, the n others that occur with it most distinctly, with the exact number of
// documents that contain both. A Recommender scores items for a basket by conditional counts, by the neighbourhood
// inverse and by topics. How much each of them weighs is a Setting, one for the whole model, which Validate chooses on
// held-out baskets. Evaluate measures any Scorer on held-out baskets; Baselines are what it is compared with.
//
// N is the number of items, M of documents, K of topics. c_i is the number of documents with item i, c_ij of those with
// i and j, s_i = Σ_j c_ij the number of companions of item i in all documents. Counts within a document do not matter
// here: a document is the set of its items. A basket S is a set of items.
//
// Results are the same, bit for bit, for any number of workers. Several goroutines may use Pairs, Recommender and
// Topics at once; a Query belongs to one.
package items
