package anchor

import (
	"errors"
	"testing"

	"anchorage/matrix"
)

// TestMostNegative wants the work of corrections to be bounded, and small vocabularies to have no bound.
func TestMostNegative(t *testing.T) {
	for n, want := range map[int]int{1: 1, 1000: 1000, 100_000: 100_000, 200_000: 50_000, 1_000_000: 10_000} {
		if got := mostNegative(n); got != want {
			t.Errorf("%d of %d items, want %d", got, n, want)
		}
	}
}

// TestTooManyNegativeRows gives LAW a factor of which 80,000 of 200,000 rows have a negative sum, which took hours to
// correct.
func TestTooManyNegativeRows(t *testing.T) {
	const n = 200_000
	y := matrix.NewTall(n, 2)
	rowSums := make([]float64, n)
	for i := range n {
		y.Row(i)[0], y.Row(i)[1], rowSums[i] = 1, float64(i%7), 1./n
		if i%5 < 2 {
			y.Row(i)[0], y.Row(i)[1] = -0.5, -0.1
		}
	}
	_, err := LAW(t.Context(), y, rowSums, Options{})
	var refused *NegativeRowsError
	if !errors.As(err, &refused) || *refused != (NegativeRowsError{Rows: 80_000, Most: 50_000, Items: n}) {
		t.Errorf("%v", err)
	}
}

// TestJointSum wants joint probabilities that do not sum to 1 to be found.
func TestJointSum(t *testing.T) {
	for scale, astray := range map[float64]bool{1: false, 1.4: false, 5.4: true, 0.5: true} {
		topics := &Topics{K: 2, Anchors: []int{0, 1}, Mixtures: matrix.NewTall(2, 2), RowSums: []float64{0.5, 0.5},
			Masses: []float64{0.5, 0.5},
			Prior:  []float64{0.5, 0.5}, TopicJoint: []float64{0.4 * scale, 0.1 * scale, 0.1 * scale, 0.4 * scale}}
		if f := findingsOf(t, topics, []float64{9, 9}, []float64{0.5, 0.5}, 2); f.JointAstray != astray ||
			f.JointSum < 0.99*scale || f.JointSum > 1.01*scale {
			t.Errorf("%v: %+v", scale, f)
		}
	}
}
