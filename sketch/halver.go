// This file deals documents into halves.

package sketch

import "anchorage/internal/random"

// halver deals documents into halves. A document is known by its items and their counts: by the sum of their hashes,
// which does not depend on how items are numbered, nor on the document's turn.
type halver struct {
	seed uint64
	key  func(item int) uint64
}

// half returns 0 or 1.
func (h halver) half(items, counts []int32) uint8 {
	var content uint64
	var column random.Column
	count := int32(-1) // of the column
	for t, item := range items {
		if counts[t] != count {
			count = counts[t]
			column = random.ColumnOf(h.seed, random.DocumentContent, uint64(count))
		}
		content += column.At(random.KeyOf(h.key, int(item)))
	}
	return uint8(random.At(h.seed, random.EvidenceHalf, content, 0) >> 63)
}
