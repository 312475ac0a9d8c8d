// Package corpus holds documents as the mathematics sees them: bags of items, numbered by a vocabulary, read in passes. It knows
// no file formats; package stream opens a Corpus from shards.
//
// A Corpus is opened from a Reading, which numbers the items and yields the documents once. FromDocuments and FromSeq read a
// caller's documents; package stream reads shards. If there is more than one pass, the documents are first written to a Copy: a
// compact copy of about 2 bytes per entry, in memory or in a scratch file, which all passes read. Pruning is then a View: it
// renumbers items and filters documents while blocks are decoded.
//
// A Pass calls a function with runs of documents, in the same order every time, on the caller's goroutine. The documents are valid
// until the function returns; then the buffer is reused. The build tag scribble overwrites the buffer first, which exposes a
// function that keeps a slice. Results do not depend on the number of workers.
//
// N is the number of items in the vocabulary and M the number of documents. n_m is the number of tokens of document m, the sum of
// its counts. df of an item is the number of documents that contain it; tf is the number of its tokens.
package corpus
