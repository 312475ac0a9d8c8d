// Package stream reads documents from shards: it decodes them in parallel and delivers them in order, with bounded
// memory. Open makes a corpus.Corpus of shards; Read is a single reading. The package also reads and writes vocabulary
// files, and Sift sets shards aside that cannot be read.
//
// Workers decode ahead, each into a few buffers. The caller's function receives the buffers one after the
// other, on the caller's goroutine. Their order, the numbering of the items and all counts depend only on the input,
// never on the number of workers. Documents are valid until the function returns; then the buffer goes back to its
// worker. The build tag scribble overwrites the buffer first, which exposes a function that keeps a slice.
//
// Memory is that of the vocabulary and of the buffers, a small fixed number per worker. Read returns only after all its
// goroutines have ended, whether it completes, fails or is cancelled. The same holds if the function panics.
//
// Of several ranks of one job, each reads a run of consecutive shards; see package corpus.
//
// Package corpus defines df, tf, M and n_m.
package stream
