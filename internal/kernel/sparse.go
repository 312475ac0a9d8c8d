// This file holds the inner loops of sparse times dense: rows of a tall matrix added up with weights.

package kernel

// panel is the number of columns that one call of a correction kernel handles: what fits the registers.
const panel = 64

// GatherScatter adds one sparse row's share to two dense results. The row has the values v_t at the columns j_t:
//
//	c += Σ_t v_t·b[j_t]      sums[j_t] += v_t·x for every t
//
// where row j of b and of sums begins at j·stride, and c and x have stride values, a multiple of 8. With nil sums only c
// is computed.
func GatherScatter(columns []uint16, values []float32, b []float64, stride int, c, sums, x []float64) {
	if len(columns) == 0 {
		return
	}
	if len(columns) != len(values) || stride%lane != 0 || len(c) < stride || (sums != nil && len(x) < stride) {
		panic("kernel: shapes of a sparse row do not fit")
	}
	if gatherScatter == nil {
		goGatherScatter(columns, values, b, stride, c, sums, x)
		return
	}
	for first := 0; first < stride; {
		width := min(panel, stride-first)
		var sumsPanel, xPanel []float64
		if sums != nil {
			sumsPanel, xPanel = sums[first:], x[first:]
		}
		first += gatherScatter(columns, values, b[first:], stride, c[first:], sumsPanel, xPanel, width)
	}
}

// gatherScatter handles up to width columns in assembly and returns how many; nil where there is none.
var gatherScatter func(columns []uint16, values []float32, b []float64, stride int, c, sums, x []float64, width int) int

// goGatherScatter is GatherScatter in plain Go: the reference.
func goGatherScatter(columns []uint16, values []float32, b []float64, stride int, c, sums, x []float64) {
	c = c[:stride]
	for t, column := range columns {
		v := float64(values[t])
		row := b[int(column)*stride:][:stride]
		for j := range c {
			c[j] += v * row[j]
		}
		if sums == nil {
			continue
		}
		out, in := sums[int(column)*stride:][:stride], x[:stride]
		for j := range out {
			out[j] += v * in[j]
		}
	}
}

// Axpy sets y = y + alpha·x for rows as a Tall stores them: both have the same length, a multiple of 8.
func Axpy(alpha float64, x, y []float64) {
	if len(x) != len(y) || len(x)%lane != 0 {
		panic("kernel: rows are of different length or not padded")
	}
	if len(x) == 0 {
		return
	}
	if axpy == nil {
		for j, v := range x {
			y[j] += alpha * v
		}
		return
	}
	axpy(len(x), alpha, &x[0], &y[0])
}

// axpy is Axpy in assembly; nil where there is none.
var axpy func(n int, alpha float64, x, y *float64)
