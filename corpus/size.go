// This file models the memory of passes.

package corpus

import "anchorage/internal/kernel"

// entryBytes is the memory of an entry of a block during a pass: item and count as stored, the same as the view shows
// them, and about three bytes in the copy.
const entryBytes = 19

// Size has the figures that the memory of a pass depends on. Entries and Documents are 0 while they are unknown; then
// the largest possible blocks are assumed.
type Size struct {
	Entries, Documents int64
	Workers            int // goroutines of a pass; 0 means the number of processors
}

// PassBytes returns the approximate memory of a pass over a compact copy, in bytes.
func (s Size) PassBytes() int64 {
	entries := int64(kernel.Workers(s.Workers)) * passDepth * blockEntries
	if s.Entries > 0 {
		entries = min(entries, s.Entries)
	}
	return entries * entryBytes
}
