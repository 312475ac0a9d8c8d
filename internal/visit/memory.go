// This file says how much memory visits take.

package visit

// Bytes returns the memory that a pass over one rank's documents takes at most, for so many entries and n items, of which the caller holds rowBytes
// each and rows of movedBytes are fetched or added, on so many ranks.
func Bytes(n, ranks int, entries int64, rowBytes, movedBytes int64) int64 {
	items := min(int64(n), entries, max(batchBytes/max(rowBytes, 1), 1))
	pieces := 2 * min(items, int64(ranks)*pieceRows) * movedBytes
	const ofEntry, ofItem, ofWord = 8, 8, 12 // item and count; the number here and in the part of its rank; see itemSet
	return items*(rowBytes+ofItem) + pieces + ofEntry*min(entries, batchEntries) + ofWord*int64(n)/64
}
