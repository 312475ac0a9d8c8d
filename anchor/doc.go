// Package anchor finds topics in a rectified low-rank co-occurrence matrix C ≈ Y·Yᵀ. It selects a few anchor items, writes
// the co-occurrence profile of every other item as a mixture of theirs, and turns the mixtures into topics and their joint
// probabilities. The algorithm is LAW, Algorithm 5 of Lee, Cho, Dong, Mimno & Bindel, On-the-Fly Rectification for Robust
// Large-Vocabulary Topic Inference (ICML 2021). It corrects negative entries of the anchors' rows as the authors' program
// does. AW, Algorithm 1, does the same on a C that is held whole.
//
// Notation: N items, K topics, Y is N×L with L ≥ K columns, d (N) the row sums of C, C̄ = diag(d)⁻¹·C, S the anchors,
// B̆ (K×N) the mixtures p(topic | item), B (N×K) the topics p(item | topic), A (K×K) the joint probabilities of topics. LAW
// never forms an N×N matrix. Besides Y it holds one array of N×L values, which is first the rows of C̄ in L coordinates, then
// their inner products with the anchors' rows, and at the end B̆.
//
// Topics.Prominent and Topics.Characteristic list the items that a topic is read by; Topics.Findings says what a reader
// should know about the topics.
//
// # Several ranks
//
// LAW works on a factor that several ranks share (anchorage/matrix.NewShared): each has the rows of its items, and of what it finds the
// mixtures of these. Everything else, N numbers for each kind and K×K values, is on all ranks, and has the same bits for any number of
// them. Let P be their number, G(b) = (P−1)·(b + 8·P) what brings b bytes to all, w(K) K rounded up to a multiple of 8, and S(m) the bytes of a sum of
// m numbers over all items in the tree of kernel.SumRows, about 16·(P−1)·m. For a factor of K columns all ranks together send
//
//	always         K·(2·G(32·P) + G(8·K))                pivots: the two best of each rank, twice, and the row of the best of all
//	               + C + 3·G(8·K²) + S(2·K·w(K) + K)     anchors' rows, and the coordinates
//	with noise     (P−1)·8·N + S(2·K+1)                  reliability
//	with Polish    C + G(8·K²) + S(K·(K+1) + 2·K²)
//	with RowSumsFactor  2·(P−1)·8·N + S(K)               row sums, and the same corrected; 3 times with Polish
//
// with C = G(8·m·K) + S(m·(K+1)) for every chunk of m ≤ 256 corrected rows: those of the K anchors and, with RowSumsFactor, those with a
// negative sum.
//
// Inputs are not modified. A Topics refers to the factor that it was made from, which must not change while the Topics is in
// use. Goroutines may call its methods together, but not of Topics that several ranks share. Results are the same, bit for bit, for any number of
// workers.
package anchor
