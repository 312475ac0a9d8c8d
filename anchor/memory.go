// This file says how much memory the inference takes at its peak.

package anchor

import (
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// LAWBytes returns the bytes that LAW takes at its peak for n items, k topics and a factor of k columns. They include
// the factor and the result, but not the arrays of the options. Noise says whether there is a sampling
// variance. Corrected is Correction.Rows, or 0 if it is not yet known.
func LAWBytes(n, k int, noise bool, corrected, workers int) int64 {
	// weights, the same before the correction, scales, norms, exact norms; directions applied, topics; 8 more
	numbers := int64(6*8 + 2*4)
	if noise {
		numbers += 2 * 8              // scaled noise and reliability
		corrected = max(corrected, k) // no row sum is negative: only the anchors' rows
	}
	rows := min(correctedChunk, n)
	if corrected > 0 {
		rows = min(corrected, rows)
	}
	sums, parts := kernel.SumBytes(n, 2*k*k, workers), kernel.SumBytes(n, rows*(k+1), workers)
	tiles := int64(kernel.Workers(workers)) * matrix.Bytes[float64](rangeRows, 2*k+rows)
	small := max(sums, parts+tiles, kernel.GramBytes(n, k, k))
	return 2*matrix.Bytes[float64](n, k) + numbers*int64(n) + small
}

// TopicsBytes returns the bytes of the result of LAW and its factor, for n items and k topics.
func TopicsBytes(n, k int) int64 { return 2*matrix.Bytes[float64](n, k) + 16*int64(n) }
