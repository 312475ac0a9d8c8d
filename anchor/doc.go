// Package anchor finds topics in a rectified low-rank co-occurrence matrix C ≈ Y·Yᵀ. It selects a few anchor items,
// writes the co-occurrence profile of every other item as a mixture of theirs, and turns the mixtures into topics and
// their joint probabilities. The algorithm is LAW, Algorithm 5 of Lee, Cho, Dong, Mimno & Bindel, On-the-Fly
// Rectification for Robust Large-Vocabulary Topic Inference (ICML 2021). It corrects negative entries of the anchors'
// rows as the authors' program does. AW, Algorithm 1, does the same on a C that is held whole.
//
// Notation: N items, K topics, Y is N×L with L ≥ K columns, d (N) the row sums of C, C̄ = diag(d)⁻¹·C, S the anchors,
// B̆ (K×N) the mixtures p(topic | item), B (N×K) the topics p(item | topic), A (K×K) the joint probabilities of topics.
// LAW never forms an N×N matrix. Besides Y it holds one array of N×L values, which is first the rows of C̄ in L
// coordinates, then their inner products with the anchors' rows, and at the end B̆.
//
// Topics.Prominent lists the items that a topic is read by; Topics.Findings says what a reader should know about the
// topics.
//
// # Several ranks
//
// LAW works on a factor that several ranks share (anchorage/matrix.NewShared): each has the rows of its items, and of
// what it finds the mixtures of these. Everything else, N numbers for each kind and K×K values, is on all ranks, and
// has the same bits for any number of them. docs/distributed.md says what ranks send.
//
// Inputs are not modified. A Topics refers to the factor that it was made from, which must not change while the Topics
// is in use. Goroutines may call its methods together, but not of Topics that several ranks share. Results are the
// same, bit for bit, for any number of workers.
package anchor
