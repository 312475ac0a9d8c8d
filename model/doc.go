// Package model leads documents through the stages to a fitted model, and knows how models and what stages hand on lie on disk.
//
// Fit does everything. Its stages are Sketch, from a corpus to the leading eigenpairs of its co-occurrence matrix C (Sketched),
// Rectify, to a factor Y (Rectified), and Anchor, to topics (Fitted). Each result uses up the one before, so that N×K arrays exist
// once; each can be saved as a directory and loaded again, so that a whole run and its stages on their own write the same files.
// Which functions make up a stage is a matter of the Method. Bayes learns by variational inference instead, and ends in a Fitted too.
//
// Load reads a directory as a Model: topics, their anchors, prominent items and joint probabilities, and the mixture of every item.
// All tables are Parquet. A manifest.json says what they were made from and how, with the SHA-256 of every file. What may differ
// between equal runs, times and memory, is in run.json and nowhere else.
//
// N is the number of items, K of topics, M of documents. Results are the same, bit for bit, for any number of workers. What a stage
// returns belongs to one goroutine; a Model may be read by several.
package model
