// Package shard turns files into batches of documents, and tables into Parquet files. It knows formats and nothing of
// what is done with them, and it is the only package that imports Arrow.
//
// A document is a bag of items: distinct item ids, each with a count of at least 1. Readers are streaming: their memory is
// bounded by the size of a batch, not of a file or a row group. A Reader belongs to one goroutine; different Readers may
// be used at the same time.
package shard
