// This file says how much memory passes take.

package corpus

import "anchorage/internal/kernel"

// entryBytes is what an entry of a block takes on its way through a pass: its item and count as they are stored and as they
// are seen, and about three bytes in the copy.
const entryBytes = 19

// Size is what the memory of a pass depends on. Entries and Documents are 0 while they are unknown; then the largest possible
// blocks are assumed.
type Size struct {
	Entries, Documents int64
	Workers            int // as passes have them, 0 for one per processor
}

// BlockDocuments returns about how many documents a block of the compact copy holds.
func (s Size) BlockDocuments() int64 {
	if s.Entries == 0 {
		return blockEntries
	}
	return min(s.Documents, blockEntries*s.Documents/s.Entries+1, blockEntries)
}

// PassBytes returns about how much memory a pass over a compact copy takes, in bytes.
func (s Size) PassBytes() int64 {
	entries := int64(kernel.Workers(s.Workers)) * passDepth * blockEntries
	if s.Entries > 0 {
		entries = min(entries, s.Entries)
	}
	return entries * entryBytes
}
