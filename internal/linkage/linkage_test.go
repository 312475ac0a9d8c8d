package linkage

import (
	"slices"
	"testing"
)

// Groups that are alike are together, whatever the numbers of their members are.
func TestOrderKeepsGroupsTogether(t *testing.T) {
	const n, groups = 60, 7
	alike := make([]float64, n*n)
	for a := range n {
		for b := range n {
			alike[a*n+b] = 0.1 + 0.01*float64((a*b)%5)
			if a%groups == b%groups {
				alike[a*n+b] = 0.8 + 0.01*float64((a+b)%7)
			}
		}
	}
	order := Order(alike, n)
	seen := slices.Sorted(slices.Values(order))
	for i, v := range seen {
		if v != i {
			t.Fatalf("the order is no permutation: %v", order)
		}
	}
	changes := 0
	for i := 1; i < n; i++ {
		if order[i]%groups != order[i-1]%groups {
			changes++
		}
	}
	if changes != groups-1 {
		t.Errorf("%d groups are in %d pieces: %v", groups, changes+1, order)
	}
	if got := Order(nil, 0); len(got) != 0 {
		t.Errorf("the order of nothing is %v", got)
	}
	if got := Order([]float64{1}, 1); len(got) != 1 {
		t.Errorf("the order of one is %v", got)
	}
	if got := Order(make([]float64, 9), 3); len(got) != 3 {
		t.Errorf("the order of equals is %v", got)
	}
}
