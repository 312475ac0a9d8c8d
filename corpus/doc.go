// Package corpus holds documents as the mathematics sees them: bags of items, numbered by a vocabulary, read in passes.
// It knows no file formats; package stream opens a Corpus from shards.
//
// A Corpus is opened from a Reading, which numbers the items and yields the documents once. FromDocuments and FromSeq
// read a caller's documents; package stream reads shards. If there is more than one pass, the documents are first
// written to a Copy: a compact copy of about 2 bytes per entry, in memory or in a scratch file, which all passes read.
// Pruning is then a View: it renumbers items and filters documents while blocks are decoded.
//
// A Pass calls a function with runs of documents, in the same order every time, on the caller's goroutine. The
// documents are valid until the function returns; then the buffer is reused. The build tag scribble overwrites the
// buffer first, which exposes a function that keeps a slice. Results do not depend on the number of workers.
//
// # Several ranks
//
// Where the context has other ranks (MPI), each reads its own documents, and all open one corpus: what it says is the
// same on every rank, and the same as if one process had read the documents of rank 0, then those of rank 1, and so on.
// Items have the numbers that they would have there. A Pass delivers the documents of this rank, with these numbers;
// Corpus.Before says how many come before them. Open is collective, that is, all ranks call it at the same time, and so
// is the first pass over a part. Other passes wait for no other rank. An error that the documents
// of one rank cause, such as a malformed one, is returned there; the other ranks are lost with it.
//
// Each rank counts its own documents. Then they send each other their items, add the counts up, and choose alike:
//
//	documents, their copy   of a rank: its own
//	ids, while it reads     those that its documents have; then 4 bytes for each, to renumber them
//	ids, at the end         all
//	df, tf, keys            all: 24 bytes for each of the N items
//	Inputs, Account         all
//
// N is the number of items in the vocabulary and M the number of documents. n_m is the number of tokens of document m,
// the sum of its counts. df of an item is the number of documents that contain it; tf is the number of its tokens.
package corpus
