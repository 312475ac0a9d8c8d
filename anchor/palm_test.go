package anchor

import (
	"testing"

	"anchorage/rectify"
)

// LAW takes the factors that PALM makes, whose columns are not orthogonal and whose entries are not negative: nothing
// is left to correct, and the anchors of a planted model are found.
func TestLAWOnPALMFactor(t *testing.T) {
	const n, k = 80, 4
	model := plant(random(31), n, k)
	multiply := rectify.Dense(denseOf(model.y), 1)
	for name, method := range map[string]func() (*rectify.Result, error){
		"PALM": func() (*rectify.Result, error) {
			return rectify.PALM(t.Context(), tallOf(model.y), rectify.Options{Multiply: multiply, Iterations: 50})
		},
		"IPALM": func() (*rectify.Result, error) {
			return rectify.IPALM(t.Context(), tallOf(model.y), rectify.Options{Multiply: multiply, Iterations: 50})
		},
	} {
		result, err := method()
		if err != nil {
			t.Fatal(err)
		}
		for _, rowSums := range []RowSums{RowSumsExact, RowSumsFactor} {
			topics, err := LAW(t.Context(), result.Factor, model.rowSums, Options{RowSums: rowSums})
			if err != nil {
				t.Fatal(err)
			}
			if topics.Stats.Correction.Entries != 0 || topics.Stats.Correction.Negative != 0 {
				t.Errorf("%s: %+v: a product of nonnegative factors has nothing to correct", name, topics.Stats.Correction)
			}
			planted := make(map[int]bool)
			for _, item := range model.anchor {
				planted[item] = true
			}
			for _, item := range topics.Anchors {
				if !planted[item] {
					t.Errorf("%s: item %d is no planted anchor, of %v", name, item, model.anchor)
				}
			}
			for a := range k {
				sum := 0.0
				for i := range n {
					sum += topics.B(i, a)
				}
				near(t, "sum of a topic", sum, 1, 1e-12, 1)
			}
		}
	}
}
