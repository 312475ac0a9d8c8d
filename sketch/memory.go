// This file says how much memory the stages of this package take at their peak.

package sketch

import (
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/visit"
	"anchorage/matrix"
)

// chunkBytes returns the memory of a product with l columns for one chunk of documents: product.z and the entries, with
// their shares and the two copies for sorting. A chunk is at most a block of the compact copy.
func chunkBytes(l int, c corpus.Size) int64 {
	const entry, document = 32, 48 // of a document: its weights, squares and norms
	row := matrix.Bytes[float64](1, l)
	most := max(zBytes/max(row, 1), 64)
	block := c.BlockDocuments()
	chunks := max((block+most-1)/most, 1) // of about equal size
	documents := (block + chunks - 1) / chunks
	return documents * (row + document + entry*c.Entries/max(c.Documents, 1))
}

// unitBytes is what the unit of a row takes during a pass.
const unitBytes = 2

// passBytes returns the memory of a pass for documents, with products of l columns.
func passBytes(l int, c corpus.Size) int64 { return c.PassBytes() + chunkBytes(l, c) }

// MarginalsBytes returns the memory of the marginals of n items.
func MarginalsBytes(n int, weighted bool) int64 {
	numbers := int64(4)
	if weighted {
		numbers++
	}
	return 8 * numbers * int64(n)
}

// KrylovRankBytes returns the memory of Accumulate and Krylov, the marginals left out, for n items, l columns, a basis
// of the given number of blocks, and a corpus of the given size. The given number of passes, 0 if unknown, may not fill
// the basis. A block under construction comes on top of it. A restart and the end build their vectors in the blocks
// that they replace. single says whether there may be passes in single precision, and away whether blocks are put away
// (Options.SpillDir).
//
// Several ranks share the rows, and each has the documents of a corpus of the given size. They have rows in single
// precision in the room of those in double precision.
func KrylovRankBytes(n, l, blocks, passes int, single, away bool, ranks int, c corpus.Size) int64 {
	shared := int64(0)
	if ranks > 1 {
		shared = sumsBytes(n, ranks) + visit.Bytes(n, ranks, c.Entries, 2*matrix.Bytes[float64](1, l), 8*int64(l))
		n, single = heldRows(n, ranks), false
	}
	held := blocks + 1
	if passes > 0 {
		held = min(held, passes)
	}
	small, sums := kernel.EigenBytes((held-1)*l), kernel.GramBytes(n, l, l)
	if away {
		held = min(held, 2)
		sums += int64(kernel.Workers(c.Workers)) * matrix.Bytes[float64](checkedRows, l)
	}
	most := max(kernel.CombinedBytes(n, l, c.Workers), small, sums, passBytes(l, c)+unitBytes*int64(n))
	if single && !away { // else the block that it is a copy of is away
		most += matrix.Bytes[float32](n, l)
	}
	return int64(held)*matrix.Bytes[float64](n, l) + most + shared
}

// heldRows returns the most rows that one of several ranks holds.
func heldRows(n, ranks int) int {
	sections := matrix.Sections(n)
	if sections == 0 {
		return 0
	}
	blocks, own := (n+matrix.BlockRows-1)/matrix.BlockRows, (sections+ranks-1)/ranks
	return min((own*blocks+sections-1)/sections*matrix.BlockRows, n)
}

// sumsBytes returns what it takes to add vectors of n numbers over ranks.
func sumsBytes(n, ranks int) int64 { return 8 * int64(min(n, ranks<<20)) }

// StreamedMatrixBytes returns the memory of the product of a single pass with n items and l columns.
func StreamedMatrixBytes(n, l int) int64 { return matrix.Bytes[float32](n, TestColumns+l) }

// StreamedBytes returns the memory of Stream and Eigen, the marginals left out, for n items, l columns, k topics and a
// corpus of the given size.
func StreamedBytes(n, l, k int, c corpus.Size) int64 {
	const scatter, scale, entry = 16, 8, 8
	cols := TestColumns + l
	documents := int64(streamedChunk(cols))
	if c.Documents > 0 {
		documents = min(documents, c.Documents)
	}
	perDocument := c.Entries / max(c.Documents, 1)
	reading := c.PassBytes() + documents*(matrix.Bytes[float64](1, cols)+(32+entry)*perDocument)
	square := matrix.Bytes[float64](cols, cols)
	summing := kernel.GramBytes(n, cols, cols) + 4*square
	solving := kernel.EigenBytes(l) + 4*square
	vectors := matrix.Bytes[float64](n, k) + matrix.Bytes[float64](n, TestColumns)
	return (scatter+scale)*int64(n) + StreamedMatrixBytes(n, l) + max(reading, summing, solving, vectors)
}

// EvidenceBytes returns the memory of the evidence about n items.
func EvidenceBytes(n int) int64 { return 16 * int64(n) }

// CutBytes returns the memory of the evidence about n items in only the first eigenvectors, for the given number of
// cuts.
func CutBytes(n, cuts int) int64 { return 8 * int64(n) * int64(cuts) }

// EvidenceRankBytes returns the memory of MeasureEvidence with the given number of cuts, with its result but without
// the eigenvectors and the marginals. Several ranks share the rows of the eigenvectors, and each has the documents of a
// corpus of the given size; the evidence itself is whole on all of them.
func EvidenceRankBytes(n, k, cuts, ranks int, c corpus.Size) int64 {
	const sums, rows = 24, 8 // of every item
	atEnd := EvidenceBytes(n) + CutBytes(n, cuts)
	if cuts > 0 {
		atEnd += rows * int64(n) // of the cut
	}
	bytes := (sums+rows)*int64(n) + CutBytes(n, cuts) + max(atEnd, passBytes(k, c))
	if ranks > 1 {
		bytes += sumsBytes(n, ranks) + visit.Bytes(n, ranks, c.Entries, matrix.Bytes[float64](1, k), 8*int64(k))
	}
	return bytes
}
