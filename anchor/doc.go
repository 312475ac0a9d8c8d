// Package anchor reads topics off a rectified low-rank co-occurrence matrix C ≈ Y·Yᵀ: it selects a few anchor items,
// writes every other item's co-occurrence profile as a mixture of theirs, and turns the mixtures into topics and topic
// correlations. The algorithm is LAW, Algorithm 5 of Lee, Cho, Bindel & Mimno, On-the-Fly Rectification for Robust
// Large-Vocabulary Topic Inference (ICML 2021), with the correction of negative entries of the anchors' rows that the
// authors' own program makes. AW, Algorithm 1, does the same on a C that is held whole.
//
// Notation: N items, K topics, Y is N×L with L ≥ K columns, d (N) the row sums of C, C̄ = diag(d)⁻¹·C, S the anchors,
// B̆ the mixtures p(topic | item), B the topics p(item | topic), A (K×K) the joint topic probabilities. LAW never
// forms N×N. Besides Y one array of N×L values is held: it is in turn the rows of C̄ in L coordinates, their inner products
// with the anchors' rows, and B̆.
//
// Inputs are not modified. A Topics refers to the factor that it was made from, which must not change while it is in use;
// its methods may be called from several goroutines. Results are the same, bit for bit, for any number of workers.
package anchor
