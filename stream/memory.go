// This file says how much memory passes take.

package stream

import "anchorage/internal/kernel"

// entryBytes is what an entry of a block takes on its way through a pass: its item and count as they are stored and as they
// are seen, and about three bytes in the file.
const entryBytes = 19

// PassBytes returns about how much memory a pass over a corpus cache takes with a number of workers, 0 for one per processor.
func PassBytes(workers int) int64 {
	return int64(kernel.Workers(workers)) * passDepth * blockEntries * entryBytes
}

// ReadBytes returns about how much memory Read has taken with a number of workers, 0 for one per processor, for documents
// with so many entries and a vocabulary of so many items that takes so many bytes at its end: growing takes it up to twice
// as much. Every worker has its batches, as far as there were enough entries to fill them, and a table of the ids in them.
func ReadBytes(entries int64, items int, vocabulary int64, workers int) int64 {
	const (
		batchEntries = 1 << 17
		entry        = 8  // item and count
		id           = 48 // of a batch: its text, key, frequencies and index
	)
	distinct := min(int64(items), batchEntries/3)
	batches := min(int64(kernel.Workers(workers))*readDepth, entries/batchEntries+1)
	tables := int64(kernel.Workers(workers)) * distinct * id
	return 2*vocabulary + batches*(batchEntries*entry+distinct*id) + tables
}
