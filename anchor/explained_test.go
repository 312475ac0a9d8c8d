package anchor

import (
	"fmt"
	"math"
	"testing"

	"anchorage/internal/kernel"
)

// TestMisfitAgainstDense computes ‖Y·Yᵀ − B·A·Bᵀ‖² entry by entry. Where the factor is exactly that of a model, nothing
// is left.
func TestMisfitAgainstDense(t *testing.T) {
	for _, noise := range []float64{0, 0.2} {
		model := plant(random(5), rangeRows+70, 5)
		y := tallOf(disturb(random(6), model.y, noise))
		topics, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: RowSumsExact})
		if err != nil {
			t.Fatal(err)
		}
		want, norm := 0.0, 0.0
		for i := range y.Rows() {
			for j := range y.Rows() {
				v := kernel.Dot(y.Row(i), y.Row(j))
				norm += v * v
				for a := range topics.K {
					for b := range topics.K {
						v -= topics.B(i, a) * topics.TopicJoint[a*topics.K+b] * topics.B(j, b)
					}
				}
				want += v * v
			}
		}
		bits := ""
		for _, workers := range []int{1, 2, 5} {
			topics.workers = workers
			left, all, err := topics.Misfit(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(left-want) > 1e-10*norm || math.Abs(all-norm) > 1e-10*norm {
				t.Errorf("noise %v: %v of %v is left, want %v of %v", noise, left, all, want, norm)
			}
			if noise == 0 && left > 1e-10*all || noise > 0 && left < 1e-4*all {
				t.Errorf("noise %v: %v of %v is left", noise, left, all)
			}
			got := fmt.Sprint(left, all)
			if bits != "" && got != bits {
				t.Errorf("%d workers: %s, not %s", workers, got, bits)
			}
			bits = got
		}
	}
}
