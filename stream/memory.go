// This file models the memory of reading.

package stream

import "anchorage/internal/kernel"

// ReadBytes returns the approximate memory that Read takes for entries of a number of items, in bytes; see
// corpus.Intake.Bytes. vocabulary is the size of the vocabulary in bytes at the end; while it grows it takes up to
// twice as much. Each worker has a table of ids and its batches, as far as the entries fill them.
func ReadBytes(entries int64, items int, vocabulary int64, workers int) int64 {
	const (
		batchEntries = 1 << 17
		entry        = 8  // item and count
		id           = 48 // an id of a batch: its text, key, frequencies and index
	)
	distinct := min(int64(items), batchEntries/4)
	batches := min(int64(kernel.Workers(workers))*readDepth, entries/batchEntries+1)
	tables := int64(kernel.Workers(workers)) * distinct * id
	return 2*vocabulary + batches*(batchEntries*entry+distinct*id) + tables
}
