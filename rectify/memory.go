// This file says how much memory rectifiers take at their peak.

package rectify

import (
	"cmp"
	"math/bits"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Shape is what the memory of a rectifier depends on.
type Shape struct {
	Items, Topics int  // N, K
	Rows          int  // ENN: |I|, as in Options
	Workers       int  // goroutines; 0 for as many as there are processors
	Truncated     bool // ENN: as in Options
	// ENN: Kept is how much of the corrections is held in memory, in bytes, and Density the share of the candidates that
	// are not 0.
	Kept    int64
	Density float64
}

// Corrected returns |I| for n items and k topics, where rows is Options.Rows.
func Corrected(n, k, rows int) int {
	return min(cmp.Or(rows, 10*k+1000), n)
}

// ForecastDensity is the density to assume before it is known: in the first iteration, which applies corrections more
// than once, it was 0.1 to 0.3 on all data seen.
const ForecastDensity = 0.3

// Cells returns the number of candidates for corrections, N·|I|.
func (s Shape) Cells() int64 {
	return int64(s.Items) * int64(Corrected(s.Items, s.Topics, s.Rows))
}

// KeptBytes returns about how many bytes all corrections of density s.Density take in memory.
func (s Shape) KeptBytes() int64 {
	return int64(1.05 * (s.Density*float64(s.Cells())*entryBytes + float64(s.Cells())/kernel.TileColumns))
}

// ENNBytes returns the memory of ENN, the factor included and the marginals left out.
func ENNBytes(s Shape) int64 {
	n, k, rows := s.Items, s.Topics, Corrected(s.Items, s.Topics, s.Rows)
	carried := min(k+ExtraColumns, n)
	start := matrix.Bytes[float64](n, k) + matrix.Bytes[float32](min(n, matrix.BlockRows), k)
	const numbers = 3*8 + 1    // of every item: norms, those before, and sorted; whether it is in I
	blocks, size := 2, carried // the vectors and their product; the side of the greatest eigenproblem
	if s.Truncated {           // the basis, a product, and the vectors that a full basis is compressed to
		blocks, size = lanczosBlocks+2, min(lanczosBlocks*carried, n)
	}
	matrices := 2*matrix.Bytes[float32](n, k) + int64(blocks)*matrix.Bytes[float32](n, carried)
	small := max(kernel.GramBytes(n, carried, carried), kernel.EigenBytes(size))
	return max(start, matrices+small+numbers*int64(n)+s.buffers(rows, carried)+s.Kept)
}

// buffers returns the memory of the stripes in flight.
func (s Shape) buffers(rows, carried int) int64 {
	padded := int64(kernel.Padded(rows))
	height := stripeRows(s.Items, rows)
	chosen := matrix.Bytes[float32](int(padded), carried)
	slots := min(2*kernel.Workers(s.Workers), max(int(sumBytes/max(chosen, 1)), 1), (s.Items+height-1)/height)
	const tile = kernel.TileRows*kernel.TileColumns*(4+entryBytes) + kernel.TileRows
	each := chosen + tile + matrix.Bytes[float32](kernel.TileRows, carried)
	if s.Kept > 0 {
		cells := float64(height) * float64(rows)
		// Slices that grow have up to a quarter more room than they need.
		each += int64(1.25 * (s.Density*cells*entryBytes + cells/kernel.TileColumns))
	}
	sums := int64(bits.Len(uint(max(matrix.Sections(s.Items)-1, 0))) + 1) // of sections in a tree, of double precision
	return int64(slots)*each + (2+2*sums)*chosen + 2*padded*int64(s.Topics)*4
}

// PALMBytes returns the memory of PALM, the factor included and that of a product with C left out.
func PALMBytes(s Shape) int64 { return palmBytes(s, 4) }

// IPALMBytes is PALMBytes for IPALM.
func IPALMBytes(s Shape) int64 { return palmBytes(s, 5) }

func palmBytes(s Shape, matrices int64) int64 {
	return matrices*matrix.Bytes[float64](s.Items, s.Topics) + kernel.GramBytes(s.Items, s.Topics, s.Topics)
}
