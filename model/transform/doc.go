// Package transform writes the topics of documents: for every shard a Parquet table with a row per document, in the
// order of the shard. Package model has the Transformer that does the same for single documents in memory, and package
// infer the mathematics.
//
// Shards are decoded in parallel, a batch at a time, and the documents of a batch are inferred in parallel; a batch
// becomes a row group. So what is written does not depend on the number of workers, and memory does not grow with the
// shards: it is that of the model's topics, of a few batches, and of one row group.
//
// Trends adds such tables up by day, week or month, if they have times.
package transform
