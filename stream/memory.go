// This file says how much memory passes take.

package stream

import "anchorage/internal/kernel"

// entryBytes is what an entry of a block takes on its way through a pass: its item and count as they are stored and as they
// are seen, and about three bytes in the file.
const entryBytes = 19

// Size is what the memory of a pass depends on. Where it is not known, entries and documents are 0, and the greatest that can
// be is reckoned with.
type Size struct {
	Entries, Documents int64
	Workers            int // as passes have them, 0 for one per processor
}

// BlockDocuments returns about how many documents there are in a block.
func (s Size) BlockDocuments() int64 {
	if s.Entries == 0 {
		return blockEntries
	}
	return min(s.Documents, blockEntries*s.Documents/s.Entries+1, blockEntries)
}

// PassBytes returns about how much memory a pass over a corpus cache takes.
func (s Size) PassBytes() int64 {
	entries := int64(kernel.Workers(s.Workers)) * passDepth * blockEntries
	if s.Entries > 0 {
		entries = min(entries, s.Entries)
	}
	return entries * entryBytes
}

// ReadBytes returns about how much memory Read has taken, for a vocabulary of so many items that takes so many bytes at its
// end: growing takes it up to twice as much. Every worker has its batches, as far as there were enough entries to fill them, and a table of the ids in them.
func (s Size) ReadBytes(items int, vocabulary int64) int64 {
	const (
		batchEntries = 1 << 17
		entry        = 8  // item and count
		id           = 48 // of a batch: its text, key, frequencies and index
	)
	distinct := min(int64(items), batchEntries/4)
	batches := min(int64(kernel.Workers(s.Workers))*readDepth, s.Entries/batchEntries+1)
	tables := int64(kernel.Workers(s.Workers)) * distinct * id
	return 2*vocabulary + batches*(batchEntries*entry+distinct*id) + tables
}
