// This file exports shapes of ENN, for forecasts of what several ranks send.

package rectify

// ExtraColumns is the number of columns that eigenvector iterations carry beyond K.
const ExtraColumns = extraColumns

// SampledPairs is the number of pairs of rows that Negativity looks at, PairsAtOnce at a time on a rank.
const (
	SampledPairs = sampledPairs
	PairsAtOnce  = pairsAtOnce
)

// Corrected returns |I|, the number of columns of the corrections, for n items and k topics, where rows is
// Options.Rows.
func Corrected(n, k, rows int) int { return corrected(n, k, rows) }
