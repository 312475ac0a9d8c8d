package sketch

import (
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// denseValues returns the values of a matrix row by row.
func denseValues(c *matrix.Tall) []float64 {
	var values []float64
	for i := range c.Rows() {
		values = append(values, c.Row(i)...)
	}
	return values
}

func TestOperatorAgainstDense(t *testing.T) {
	const n, cols = 120, 7
	docs := drawn(n, 4, 300)
	c, marginals, err := Dense(context.Background(), inBatches(docs, 50), n, nil, 0, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	x := matrix.NewTall(n, cols)
	flat := make([]float64, 0, n*cols)
	for i := range n {
		for j := range cols {
			x.Row(i)[j] = math.Sin(float64(3*i + 5*j))
		}
		flat = append(flat, x.Row(i)...)
	}
	want := matrix.Like(x)
	kernel.Multiply(context.Background(), want, c, flat, 1)
	var first *matrix.Tall
	for _, workers := range []int{1, 2, 3, 7} {
		got := matrix.Like(x)
		got.Row(5)[0] = 1 // what was there does not matter
		operator := &Operator{Pass: inBatches(docs, 37), Marginals: marginals, Workers: workers}
		if err := operator.Multiply(context.Background(), got, x); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		for i := range n {
			for j, v := range got.Row(i) {
				if math.Abs(v-want.Row(i)[j]) > 1e-15 { // 2⁻⁵⁰ of the row's sum for each of 300 documents
					t.Fatalf("entry %d,%d of C·x is %v, want %v", i, j, v, want.Row(i)[j])
				}
				if v != first.Row(i)[j] {
					t.Fatalf("%d workers give other bits than one", workers)
				}
			}
		}
	}
	// In single precision the error is a few 2⁻²⁴·λ₁ times the length of a column, and workers and batches change nothing.
	first = nil
	for _, batch := range []int{37, 300} {
		got := matrix.Like(x)
		operator := &Operator{Pass: inBatches(docs, batch), Marginals: marginals, Workers: 1 + batch%2, Single: true}
		if err := operator.Multiply(context.Background(), got, x); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		values, _, err := kernel.SymmetricEigen(context.Background(), denseValues(c), n, 1)
		if err != nil {
			t.Fatal(err)
		}
		for j := range cols {
			off, length := 0.0, 0.0
			for i := range n {
				v := got.Row(i)[j]
				off, length = math.Hypot(off, v-want.Row(i)[j]), math.Hypot(length, x.Row(i)[j])
				if v != first.Row(i)[j] {
					t.Fatalf("batches of %d give other bits", batch)
				}
			}
			if off == 0 || off > 0x1p-23*values[0]*length {
				t.Errorf("column %d of C·x is off by %g·λ₁ in single precision", j, off/values[0]/length)
			}
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	operator := &Operator{Pass: inBatches(docs, 37), Marginals: marginals}
	if err := operator.Multiply(cancelled, matrix.Like(x), x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
