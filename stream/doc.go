// Package stream brings documents from shards to an algorithm: decoded in parallel, delivered in order, with bounded
// memory. It numbers the items (Vocabulary), leaves items and documents out (Pruning, View), and keeps a compact copy of
// the documents for further passes (Corpus).
//
// Read goes over shards, Corpus.Pass over such a copy. Both work alike: workers decode ahead, each into a few buffers of
// its own, and the caller's function gets the buffers one after the other, on the caller's goroutine, in an order that
// depends on the input alone. So do the numbering of the items and every count, whatever the number of workers. What is
// delivered is valid until the function returns: then the buffer goes back to its worker. With the build tag scribble it
// is overwritten first, so that a function that keeps a slice is found out.
//
// Memory is that of the buffers, a fixed small number per worker, and of the vocabulary. When a pass ends, by its end, an error, a
// panic of the function or a cancelled context, all of its goroutines have ended.
//
// M is the number of documents and n_m the number of tokens of document m, the sum of its counts. df of an item is the
// number of documents that hold it, tf the number of its tokens.
package stream
