// This file holds the functions in assembly, which are chosen once, when the program starts.

package kernel

import "anchorage/internal/aligned"

// assembly are the functions of the instruction set in use. Those that are nil, and tiles without rows, leave the work
// to the Go form, the reference.
var assembly = functions{instructions: "go"}

// functions are those of one instruction set, named as in the generator. Each function does what the Go function of the
// same name does, with pointers to the first values.
type functions struct {
	instructions      string // what the set is called in run reports
	rows64, columns64 tiles[float64]
	rows32, columns32 tiles[float32]
	rowsOf            rowKernels

	compact func(rows, width, stride int, dense *float32, counts, columns *uint8, values *float32) int
	// sparseProduct handles some of the left columns and returns how many.
	sparseProduct func(t *SparseTile, inside []bool, z, chosen, sums, x []float32, stride, left int) int
	axpy          func(n int, alpha float64, x, y *float64)
	addSigns      func(z []float64, signs []uint64, weights []float64)
	// The combination of rows of a table, and of a tall matrix.
	combine        func(n int, rows *int32, weights, table *float64, width int, out *float64)
	combine32      func(n int, rows *int32, weights *float64, table *float32, width int, out *float32)
	combineTall    combination[float64]
	combineSingles combination[float32]
	// CombineRounded: of double precision, for apart = len(out), and of single.
	combineRounded func(n int, rows *int32, weights, table *float64, width int, shift float64, out *float64)
	widenRounded   func(n int, rows *int32, weights *float64, table *float32, apart, width int, shift float64,
		out *float64)
	prefetch        func(n int, p *byte) // asks for n cache lines
	mixture         func(n int, rows *int32, counts, table *float64, width int, t, norms, out *float64)
	collapsed       func(n int, counts, table, gamma *float32, width int, a, least, scratch *float32) float32
	respond         func(n int, counts, table, gamma *float32, width int, a, out *float32)
	rowDots32       func(n int, table *float32, width int, x, out *float32)
	lanes           func(row, a *float32, width int, sums *float32)
	exp, expDigamma func(n int, dst, x *float64)
	// secularSums is secular.goSums for whole vectors: it adds to the two sums.
	secularSums func(n int, poles, weights *float64, origin, at float64, differences, sums *float64)
}

// Instructions returns the name of the instruction set that the kernels use: avx512, avx2 or go.
func Instructions() string { return assembly.instructions }

// tilesOf returns the tiles for products of a layout.
func tilesOf[T aligned.Real](in layout) *tiles[T] {
	table := any(&assembly.rows64)
	switch single := aligned.Size[T]() == 4; {
	case single && in == byRows:
		table = &assembly.rows32
	case single:
		table = &assembly.columns32
	case in == byColumns:
		table = &assembly.columns64
	}
	return table.(*tiles[T])
}
