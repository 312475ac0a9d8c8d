// Package metric says how good topics are: how well they explain the co-occurrences that they were learned from, how
// distinct they are, and how well the items that a topic is read by belong together.
//
// The figures are those of Lee, Cho, Bindel & Mimno, On-the-Fly Rectification for Robust Large-Vocabulary Topic Inference
// (ICML 2021, section 5), of Dong's thesis on the same method (Cornell, 2019, section 4.6), and of the topic-model
// literature at large. Each is documented where it is computed, with its formula, its source, and whether a high or a low
// value is good.
//
// Notation: N items, K topics, C (N×N) the co-occurrence probabilities of package sketch, not rectified; p its row sums, C̄
// = diag(p)⁻¹·C, S the anchors, B (N×K) p(item | topic), B̆ (K×N) p(topic | item), A (K×K) joint topic probabilities.
// Items that occur in none of the documents (p = 0) have no row in C̄; no figure counts them.
//
// Topics is a plain description, so that topics of any origin can be scored; what a figure does not need may be missing.
// Inputs are not modified. Results are the same, bit for bit, for any number of workers and any batches of documents.
// Goroutines are only those of kernel.Parallel.
package metric
