// Package aligned makes slices that begin at a cache line, in huge pages where the system has them, and says how rows
// are padded to whole lines. Tall matrices and the kernels that read them share these rules.
package aligned

import "unsafe"

// LineBytes is the size of a cache line and of a 512-bit register. Rows are padded to a multiple of it.
const LineBytes = 64

// Lane is the number of float64 in a line.
const Lane = LineBytes / 8

// Real is the type of the values of aligned slices and tall matrices.
type Real interface{ float32 | float64 }

// Size returns the bytes of a value.
func Size[T Real]() int {
	var value T
	return int(unsafe.Sizeof(value))
}

// Columns returns the number of values in a row of cols columns with its padding.
func Columns[T Real](cols int) int {
	perLine := LineBytes / Size[T]()
	return (cols + perLine - 1) / perLine * perLine
}

// Make returns n zero values that begin at a cache line.
func Make[T Real](n int) []T {
	if n == 0 {
		return nil
	}
	width := Size[T]()
	values := make([]T, n+LineBytes/width)
	adviseHuge(unsafe.Pointer(&values[0]), uintptr(len(values)*width))
	skip := 0
	if over := uintptr(unsafe.Pointer(&values[0])) % LineBytes; over != 0 {
		skip = int(LineBytes-over) / width
	}
	return values[skip : skip+n : skip+n]
}

// Raw returns the bytes of values, as this machine has them.
func Raw[T Real](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*Size[T]())
}
