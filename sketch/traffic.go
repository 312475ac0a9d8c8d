// This file says how many bytes ranks send.

package sketch

import (
	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
)

// RankTraffic says of what size the sketch of a job of several ranks is: N, L, K, and Σ u, the numbers of distinct items of the batches of documents whose
// rows other ranks hold. See docs/distributed.md.
type RankTraffic struct {
	Items, Columns, Topics, Ranks int
	Others                        int64
}

// gram returns the bytes of a Gram matrix of m×n.
func (t RankTraffic) gram(m, n int) int64 {
	return kernel.SumTraffic(t.Items, m*aligned.Columns[float64](n), t.Ranks)
}

// vectors returns the bytes of completing so many vectors of N numbers of which each rank has its own.
func (t RankTraffic) vectors(count int) int64 {
	return 8 * int64(count) * int64(t.Items) * int64(t.Ranks-1)
}

// Krylov returns the bytes that all ranks together send in Accumulate, ColumnSquares, Krylov and Rest, for so many passes, the first of them among them, a basis of at
// most so many blocks, and a sketch that starts from Ω. It is right to a few hundredths: Gram matrices of a new block may be two or three.
func (t RankTraffic) Krylov(passes, blocks int) int64 {
	l := t.Columns
	bytes := t.Others*int64(8*l+4) + t.vectors(8) + kernel.SumTraffic(t.Items, l, t.Ranks) + t.gram(t.Topics, l)
	held := 1
	bytes += 2 * t.gram(l, l)
	for range passes - 1 {
		bytes += t.Others*int64(16*l+4) + int64(held+3)*t.gram(l, l)
		if held++; held > blocks {
			held = 2
		}
	}
	return bytes
}

// Evidence returns the bytes that all ranks together send in MeasureEvidence, with so many cuts.
func (t RankTraffic) Evidence(cuts int) int64 {
	k := t.Topics
	halved := int64(HalvedItems(t.Items, k)) * int64(t.Ranks-1)
	return t.Others*int64(8*k+4) + t.vectors(2+cuts) + t.vectors(2*(3+cuts)) + 32*int64(k+1)*halved
}
