// Package metric measures how good topics are: how well they explain the co-occurrences that they were learned from,
// how distinct they are, and how well the items by which a topic is read belong together.
//
// The figures are those of Lee, Cho, Dong, Mimno & Bindel, On-the-Fly Rectification for Robust Large-Vocabulary Topic
// Inference (ICML 2021, section 5), of Dong's thesis on the same method (Cornell, 2019, section 4.6), and of the
// literature on topic models. The function that computes a figure documents its formula, its source, and whether a high
// or a low value is good.
//
// Notation: N items, K topics, C (N×N) the co-occurrence probabilities of package sketch, not rectified, p its row
// sums, C̄ = diag(p)⁻¹·C, S the anchors, B (N×K) p(item | topic), B̆ (K×N) p(topic | item), A (K×K) the joint
// probabilities of topics. Items that occur in no document (p = 0) have no row in C̄ and count in no figure.
//
// Score computes all figures. It takes a Topics, a plain description, so that topics of any program can be scored;
// parts that a figure does not need may be missing. ScoreLists scores topics of which only lists of items are known.
//
// Inputs are not modified. Results are the same, bit for bit, for any number of workers and any batches of documents. A
// wrong shape panics.
package metric
