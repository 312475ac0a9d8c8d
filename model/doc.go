// Package model reads, queries and writes models, and the sketches and factors that they begin as.
//
// A Model is the topics of a corpus, their anchors, prominent items and joint probabilities, and the mixture of every
// item. Package model/fit learns one; Load reads one from a directory. All tables are Parquet. manifest.json says what
// they were made from and how, and has the SHA-256 of every file. Only run.json may differ between equal runs: it has
// times and memory.
//
// N is the number of items, K of topics, M of documents. Several goroutines may read a Model.
package model
