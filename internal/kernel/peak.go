// This file holds the loop that other kernels are compared with: multiply-adds that wait for nothing.

package kernel

import "anchorage/internal/aligned"

// peakKernels are the assembly of this file; without functions the loops are in Go.
type peakKernels struct {
	sums, bytes    int // registers that MultiplyAdds adds to, and the bytes of each
	multiplyAdds32 func(rounds int, x, y float32, sums *float32)
	multiplyAdds64 func(rounds int, x, y float64, sums *float64)
}

var peaks peakKernels

// goSums is the number of sums of MultiplyAdds in plain Go.
const goSums = 8

// MultiplyAdds adds the product x·y to sums that lie in registers, rounds times to each, and returns the total and the
// number of floating-point operations, two for each product. It reads nothing, and no sum waits for another, so no
// kernel can do more operations in a second.
func MultiplyAdds[T aligned.Real](rounds int, x, y T) (total T, operations int64) {
	if rounds <= 0 {
		return 0, 0
	}
	if peaks.sums == 0 {
		return goMultiplyAdds(rounds, x, y), 2 * goSums * int64(rounds)
	}
	width := peaks.bytes / aligned.Size[T]()
	var sums [aligned.LineBytes / 4]T
	switch of := any(&sums[0]).(type) {
	case *float32:
		peaks.multiplyAdds32(rounds, float32(x), float32(y), of)
	case *float64:
		peaks.multiplyAdds64(rounds, float64(x), float64(y), of)
	}
	for _, sum := range sums[:width] {
		total += sum
	}
	return total, 2 * int64(peaks.sums) * int64(width) * int64(rounds)
}

// goMultiplyAdds is MultiplyAdds in plain Go.
func goMultiplyAdds[T aligned.Real](rounds int, x, y T) T {
	var s0, s1, s2, s3, s4, s5, s6, s7 T
	for range rounds {
		s0 += x * y
		s1 += x * y
		s2 += x * y
		s3 += x * y
		s4 += x * y
		s5 += x * y
		s6 += x * y
		s7 += x * y
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}
