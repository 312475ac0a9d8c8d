// This file divides rows among those who share a matrix: into sections, which depend on the number of rows alone.

package matrix

// MostSections is the greatest number of sections. No more ranks than that can hold rows of one matrix.
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
