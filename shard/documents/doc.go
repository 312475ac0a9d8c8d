// Package documents holds the documents that readers of shards yield: bags of items, in batches, and which counts
// follow from the amounts in files. Package shard calls its types by the same names.
package documents
