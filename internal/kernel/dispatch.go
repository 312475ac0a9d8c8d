// This file chooses the tiles of a product, once, when the program starts.

package kernel

import "anchorage/internal/aligned"

// The tiles in use, by element and layout. All zero: plain Go.
var (
	rows64, columns64 tiles[float64]
	rows32, columns32 tiles[float32]
	// instructions names the set in use, for run reports.
	instructions = "go"
)

// Instructions returns the name of the instruction set that the kernels use: avx512, avx2 or go.
func Instructions() string { return instructions }

// tilesOf returns the tiles for products of a layout.
func tilesOf[T aligned.Real](in layout) *tiles[T] {
	table := any(&rows64)
	switch single := aligned.Size[T]() == 4; {
	case single && in == byRows:
		table = &rows32
	case single:
		table = &columns32
	case in == byColumns:
		table = &columns64
	}
	return table.(*tiles[T])
}
