// This file says how documents are cut into batches, for forecasts of what visits send.

package visit

const (
	// BatchEntries is the most entries of a batch, unless one document has more.
	BatchEntries = batchEntries
	// PieceRows is the most rows that go from one rank to another at a time.
	PieceRows = pieceRows
)

// BatchItems returns the most distinct items of a batch whose caller holds so many bytes for each.
func BatchItems(rowBytes int) int { return max(batchBytes/max(rowBytes, 1), 1) }
