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
