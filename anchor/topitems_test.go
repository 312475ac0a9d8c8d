package anchor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
)

// naiveProminent sorts all items of every topic by their relevance as it is defined.
func naiveProminent(t *Topics, p []float64, lambda float64, count int) [][]Scored {
	lists := make([][]Scored, t.K)
	for k := range lists {
		score := make([]float64, len(p))
		var items []int
		for i := range p {
			if b := t.B(i, k); p[i] > 0 && b > 0 {
				items = append(items, i)
				score[i] = lambda*math.Log(b) + (1-lambda)*math.Log(b/p[i])
			}
		}
		slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
		for _, i := range items[:min(count, len(items))] {
			lists[k] = append(lists[k], Scored{i, t.B(i, k)})
		}
	}
	return lists
}

func TestProminentAgainstDefinition(t *testing.T) {
	const n, k = 600, 4
	model := plant(random(3), n, k)
	topics, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: RowSumsExact})
	if err != nil {
		t.Fatal(err)
	}
	p := slices.Clone(model.rowSums)
	p[topics.Anchors[1]] = 0
	for _, lambda := range []float64{0, 0.6, 1} {
		for _, count := range []int{0, 1, 20} {
			want := naiveProminent(topics, p, lambda, count)
			for _, workers := range []int{1, 2, 5} {
				topics.workers = workers
				got, err := topics.Prominent(t.Context(), p, lambda, count)
				if len(got) != k {
					t.Fatalf("%d lists for %d topics: %v", len(got), k, err)
				}
				for topic := range got {
					if fmt.Sprint(got[topic]) != fmt.Sprint(want[topic]) {
						t.Fatalf("λ %g, %d items, %d workers, topic %d:\n%.8v\nwant\n%.8v", lambda, count, workers, topic,
							got[topic], want[topic])
					}
				}
			}
		}
	}
}
