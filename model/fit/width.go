// This file says how wide the sketch of a single pass is.

package fit

const (
	// streamedBytes is the memory that the columns of a single pass may take where the run has no limit, unless the fewest
	// take more.
	streamedBytes = 2 << 30
	// mostStreamed bounds the columns where they are chosen, unless 4K are more: the eigenproblem of the core takes L³
	// operations.
	mostStreamed = 4096
)

// streamedColumns returns the widths that a single pass for the given number of topics may have, decreasing: 16, 12, 8,
// 6 and 4 times the topics. They are few, so that a vocabulary that grows seldom makes a sketch narrower.
func streamedColumns(topics int) []int {
	var widths []int
	for _, factor := range []int{16, 12, 8, 6, 4} {
		if l := factor * topics; l <= mostStreamed || factor == 4 {
			widths = append(widths, l)
		}
	}
	return widths
}
