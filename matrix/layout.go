// This file divides rows among the processes that share a matrix: into sections, which depend only on the number of
// rows.

package matrix

import "anchorage/internal/aligned"

// Layout says which rows a process holds of a matrix, a vector or a vocabulary that several processes share: the rows
// [first, last) of n, whole sections of them. A nil Layout is that of one process, which holds all rows. The processes
// of a job have one implementation, in an internal package, which also lets them exchange rows and add sums.
type Layout interface {
	Rows(n int) (first, last int)
}

// NewShared returns a zero matrix of the given shape, of which this process holds the rows that the layout says.
func NewShared[T float32 | float64](layout Layout, rows, cols int) *TallOf[T] {
	if layout == nil {
		return New[T](rows, cols)
	}
	first, last := layout.Rows(rows)
	if rows < 0 || cols < 0 || first < 0 || first > last || last > rows || first%BlockRows != 0 && first < rows ||
		last%BlockRows != 0 && last < rows {
		panic("matrix: no such rows to hold")
	}
	t := &TallOf[T]{rows: rows, cols: cols, stride: aligned.Columns[T](cols), blocks: make([][]T, blocksOf(rows)),
		layout: layout,
		low:    blocksOf(first), high: blocksOf(last)}
	t.Fill(rows, nil)
	return t
}

// MostSections is the greatest number of sections. No more processes than that can hold rows of one matrix.
const MostSections = 256

// Sections returns the number of sections of n rows: one for each block, but at most MostSections.
func Sections(n int) int { return min(blocksOf(n), MostSections) }

// Section returns the rows [first, last) of a section. Sections have whole blocks, and nearly as many each.
func Section(n, section int) (first, last int) {
	blocks, count := blocksOf(n), Sections(n)
	return section * blocks / count * BlockRows, min((section+1)*blocks/count*BlockRows, n)
}

// SectionOf returns the section that has a row.
func SectionOf(n, row int) int {
	blocks, count := blocksOf(n), Sections(n)
	section := row / BlockRows * count / blocks
	for (section+1)*blocks/count <= row/BlockRows {
		section++
	}
	return section
}

// blocksOf returns the number of blocks of n rows.
func blocksOf(n int) int { return (n + BlockRows - 1) / BlockRows }
