// Package model leads documents through the stages to a fitted model, and knows how models and the artefacts between the
// stages lie on disk.
//
// A State is what one stage hands to the next: Sketch takes it from a Corpus to eigenpairs, Rectify to a factor, Anchor to
// topics. After every stage it can be saved as a directory and loaded again, so that a whole run and its stages on their
// own write the same files. All tables are Parquet; a manifest.json says what they were made from and how, with the
// SHA-256 of every file. What may differ between equal runs, times and memory, lies in run.json and nowhere else.
//
// A State belongs to one goroutine.
package model
