package matrix_test

import (
	"fmt"

	"anchorage/matrix"
)

// A tall matrix grows row by row, as a vocabulary does. Its rows can be read and written as slices.
func Example() {
	t := matrix.NewTall(0, 2)
	for i := range 3 {
		t.Grow(i + 1)
		copy(t.Row(i), []float64{float64(i), float64(i * i)})
	}
	sum := 0.0
	for i := range t.Rows() {
		sum += t.Row(i)[1]
	}
	rows, cols := t.Dims()
	fmt.Println(rows, "rows,", cols, "columns; the second sums to", sum)
	// Output: 3 rows, 2 columns; the second sums to 5
}

func ExampleTallOf_Set() {
	t := matrix.NewTall(2, 3)
	t.Set(1, 0, -4)
	fmt.Println(t.Row(1), t.At(0, 2))
	// Output: [-4 0 0] 0
}

// Loops over large matrices go block by block: a block is one slice, in which rows lie Stride values apart.
func ExampleTallOf_Block() {
	t := matrix.NewSingle(matrix.BlockRows+2, 3)
	for b := range t.Blocks() {
		values, first, last := t.Block(b)
		for i := first; i < last; i++ {
			values[(i-first)*t.Stride()] = 1
		}
		fmt.Println("rows", first, "to", last-1)
	}
	fmt.Println(t.Row(matrix.BlockRows + 1))
	// Output:
	// rows 0 to 4095
	// rows 4096 to 4097
	// [1 0 0]
}

// Converted makes a matrix of half the size. The one that it was made of is used up.
func ExampleConverted() {
	double := matrix.NewTall(1, 2)
	copy(double.Row(0), []float64{0.5, 1.5})
	single := matrix.Converted[float32](double)
	fmt.Println(single.Row(0), double.Rows())
	// Output: [0.5 1.5] 0
}
