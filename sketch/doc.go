// Package sketch finds the leading eigenpairs of the co-occurrence matrix C = Ĥ·Ĥᵀ − Ĥ_diag (N×N) from passes over the
// documents, without ever holding H or C.
//
// With counts h_m of document m, n_m their sum and M the number of documents, ĥ_m = h_m/√(n_m(n_m−1)M) and Ĥ_diag =
// diag(Σ_m h_m/(n_m(n_m−1)M)); the entries of C sum to 1, and its row sums are p_i = Σ_m h_im/(n_m·M). (Lee et al.,
// ICML 2021, Equation 1.) A product with C costs one pass: C·X = Σ_m ĥ_m(ĥ_mᵀ·X) − Ĥ_diag·X.
//
// The first pass multiplies C with a random matrix Ω (N×L) whose entries are functions of the seed, the item's id and the
// column. So neither the vocabulary nor the order of the documents need be known in advance. Its result is a Sketch, which can
// be saved and added to others. One pass gives approximate eigenpairs (Truncated); more passes make them accurate (Krylov).
//
// Truncated and Krylov use the sketch up, and Eigen.Factor uses the eigenvectors up: their memory becomes that of the result. A
// second call panics. All other functions leave their arguments as they are. A Sketch belongs to one goroutine.
//
// Results are the same, bit for bit, for any number of workers and any partition of the documents into batches.
package sketch
