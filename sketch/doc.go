// Package sketch finds the leading eigenpairs of the co-occurrence matrix C = Ĥ·Ĥᵀ − Ĥ_diag (N×N) from passes over the
// documents, without ever holding H or C.
//
// With counts h_m of document m, n_m their sum and M the number of documents, ĥ_m = h_m/√(n_m(n_m−1)M) and Ĥ_diag =
// diag(Σ_m h_m/(n_m(n_m−1)M)); the entries of C sum to 1, and its row sums are p_i = Σ_m h_im/(n_m·M). (Lee et al.,
// ICML 2021, Equation 1.) A product with C costs one pass: C·X = Σ_m ĥ_m(ĥ_mᵀ·X) − Ĥ_diag·X.
//
// The first pass multiplies C with a random matrix Ω (N×L) whose entries are functions of the seed, the item's id and
// the column. So neither the vocabulary nor the order of the documents need be known in advance. There are two kinds of
// it. Accumulate makes a Sketch, from which Sketch.Krylov finds accurate eigenpairs in more passes. Stream makes a
// Streamed, from which Streamed.Eigen finds approximate eigenpairs without a further pass, and Scatter.Estimate how far
// the items' rows are to be trusted. A Streamed can be saved (RestoreStreamed) and added to those of other documents
// (Streamed.Merge).
//
// Sketch.Krylov and Streamed.Eigen use the sketch up, and Eigen.Factor uses the eigenvectors up: their memory becomes
// that of the result. A second call panics. Streamed.Merge changes the sketch that is added to. All other functions
// leave their arguments as they are. A sketch belongs to one goroutine.
//
// Results are the same, bit for bit, for any number of workers and any partition of the documents into batches.
//
// Several ranks (package internal/collective) make one sketch together: Accumulate, Krylov,
// MeasureEvidence and Factor work on the rows that a rank holds and on the documents that it reads, and what they find
// is that of one process, bit for bit, if the vocabulary is counted (docs/decisions/exact-sums.md). Blocks and
// eigenvectors are shared (matrix.NewShared); marginals and evidence are whole on every rank. Stream and Dense are
// for one process.
package sketch
