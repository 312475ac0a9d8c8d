// Package corpus holds documents as mathematics sees them: bags of items, numbered by a vocabulary, read in passes. It knows
// nothing of files formats; package stream makes a Corpus of shards.
//
// A Corpus is opened from a Reading, which numbers the items and yields the documents once: FromDocuments and FromSeq read a
// caller's documents, package stream reads shards. Unless one pass is all there will be, documents are decoded once into a
// compact copy of about 2 bytes per entry, in memory or in a scratch file, which later passes read. Pruning is then a View: a
// renumbering of items and a filter of documents, applied while blocks are decoded.
//
// A Pass calls a function with runs of documents, in the same order every time, on the caller's goroutine. What is delivered is
// valid until the function returns; then the buffer is used again. With the build tag scribble it is overwritten first, so that
// a function that keeps a slice is found out. Results do not depend on the number of workers.
//
// N is the number of items of the vocabulary, M the number of documents, n_m the number of tokens of document m, which is the
// sum of its counts. df of an item is the number of documents that hold it, tf the number of its tokens.
package corpus
