package sketch

import (
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

func TestOperatorAgainstDense(t *testing.T) {
	const n, cols = 120, 7
	docs := drawn(n, 4, 300)
	c, marginals, err := Dense(context.Background(), inBatches(docs, 50), n, nil, 0, 2)
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
				if math.Abs(v-want.Row(i)[j]) > 1e-16 {
					t.Fatalf("entry %d,%d of C·x is %v, want %v", i, j, v, want.Row(i)[j])
				}
				if v != first.Row(i)[j] {
					t.Fatalf("%d workers give other bits than one", workers)
				}
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
