// This file says how much memory reading takes.

package stream

import "anchorage/internal/kernel"

// readBytes returns about how much memory Read has taken, in bytes, for so many entries and a vocabulary of so many items that
// takes so many bytes at its end: growing takes it up to twice as much. Every worker has its batches, as far as there were enough
// entries to fill them, and a table of the ids in them.
func readBytes(entries int64, items int, vocabulary int64, workers int) int64 {
	const (
		batchEntries = 1 << 17
		entry        = 8  // item and count
		id           = 48 // of a batch: its text, key, frequencies and index
	)
	distinct := min(int64(items), batchEntries/4)
	batches := min(int64(kernel.Workers(workers))*readDepth, entries/batchEntries+1)
	tables := int64(kernel.Workers(workers)) * distinct * id
	return 2*vocabulary + batches*(batchEntries*entry+distinct*id) + tables
}
