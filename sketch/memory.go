// This file says how much memory the stages of this package take: what is alive at their peak.

package sketch

import (
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// chunkBytes returns what a product with l columns takes for the documents that it works on at a time: product.z and their
// entries, with shares and sorted twice. They are those of a block of the corpus at most.
func chunkBytes(l int, c corpus.Size) int64 {
	const entry = 32
	row := matrix.Bytes[float64](1, l)
	documents := min(c.BlockDocuments(), max(zBytes/max(row, 1), 64))
	return documents * (row + entry*c.Entries/max(c.Documents, 1))
}

// passBytes returns what a pass takes for documents, with products of l columns.
func passBytes(l int, c corpus.Size) int64 { return c.PassBytes() + chunkBytes(l, c) }

// MarginalsBytes returns the memory of the marginals of n items.
func MarginalsBytes(n int, weighted bool) int64 {
	numbers := int64(4)
	if weighted {
		numbers++
	}
	return 8 * numbers * int64(n)
}

// KrylovBytes returns the memory of Collect and Krylov beside the marginals, for n items, l columns and a basis of the given
// number of blocks, over a corpus of the given size. In so many passes, 0 for a number yet unknown, it is filled at most: the block that is in the making
// comes on top of it. A restart and the end take their vectors out of the blocks that they are made of.
func KrylovBytes(n, l, blocks, passes int, c corpus.Size) int64 {
	held := blocks + 1
	if passes > 0 {
		held = min(held, passes)
	}
	small := kernel.EigenBytes((held - 1) * l)
	sums := kernel.GramBytes(n, l, l)
	combined := kernel.CombinedBytes(n, l, c.Workers)
	return int64(held)*matrix.Bytes[float64](n, l) + max(combined, small, sums, passBytes(l, c))
}

// TruncatedBytes is KrylovBytes for Collect and Truncated, a single pass.
func TruncatedBytes(n, l int, c corpus.Size) int64 {
	return matrix.Bytes[float64](n, l) + max(kernel.EigenBytes(l), kernel.GramBytes(n, l, l), passBytes(l, c))
}

// HalvedItems returns the number of items whose rows Gather keeps by halves, of n items and k topics.
func HalvedItems(n, k int) int { return min(20*k+int(halvedShare*float64(n)), n) }

// EvidenceBytes returns the memory of the evidence about n items and k topics.
func EvidenceBytes(n, k int) int64 {
	return 16*int64(n) + halvedBytes(n, k)
}

func halvedBytes(n, k int) int64 { return 8 * int64(HalvedItems(n, k)) * (3 + 2*int64(k)) }

// GatherBytes returns the memory that Gather takes beside the eigenvectors and the marginals, the evidence included.
func GatherBytes(n, k int, c corpus.Size) int64 {
	const sums, rows, place, evidence = 24, 8, 4, 16 // of every item; the last at the end
	return (sums+rows+place)*int64(n) + halvedBytes(n, k) + max(evidence*int64(n), passBytes(k, c))
}
