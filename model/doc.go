// Package model fits models to documents, stage by stage, and stores models and intermediate results on disk.
//
// Fit runs all stages, and refines the topics. Sketch makes passes over a corpus and finds the leading eigenpairs of its co-occurrence matrix C (Sketched).
// Rectify turns them into a factor Y (Rectified). Anchor finds the topics (Fitted). Each stage uses up the result of the one before,
// so N×K arrays exist only once. Each result can be saved as a directory and loaded again; single stages write the same files as a
// whole run without refinement. The Method determines which functions the stages call. Bayes learns by variational inference instead, and also returns
// a Fitted.
//
// Load reads a directory as a Model: the topics, their anchors, prominent items and joint probabilities, and the mixture of every
// item. All tables are Parquet. manifest.json says what they were made from and how, and has the SHA-256 of every file. Only run.json
// may differ between equal runs: it has times and memory.
//
// N is the number of items, K of topics, M of documents. Results are equal, bit for bit, for any number of workers. The result of a
// stage belongs to one goroutine; several goroutines may read a Model.
package model
