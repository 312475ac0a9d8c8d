package anchor

import (
	"fmt"
	"testing"

	"anchorage/internal/kernel"
)

// TestPolishAgainstDefinition computes the second mixtures from rows of C itself.
func TestPolishAgainstDefinition(t *testing.T) {
	const n, k = 70, 4
	model := plant(random(6), n, k)
	y := tallOf(model.y)
	for _, sums := range []RowSums{RowSumsExact, RowSumsFactor} {
		plain, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: sums})
		if err != nil {
			t.Fatal(err)
		}
		got, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: sums, Polish: true, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Anchors) != fmt.Sprint(plain.Anchors) {
			t.Fatalf("anchors %v, want %v", got.Anchors, plain.Anchors)
		}
		c := denseOf(model.y)
		vertices := make([]float64, k*n)
		groups, members := make([]float64, k), make([]int, k)
		for i := range n {
			for topic, share := range plain.Mixtures.Row(i) {
				if share >= purity {
					groups[topic] += model.rowSums[i]
					members[topic]++
					for j := range n {
						vertices[topic*n+j] += c.Row(i)[j]
					}
				}
			}
		}
		several := false
		for topic := range k {
			several = several || members[topic] > 1
			for j := range n {
				vertices[topic*n+j] /= groups[topic]
			}
		}
		if !several {
			t.Fatal("no topic has an item besides its anchor: nothing is tested")
		}
		points := newSimplexPoints(kernel.TimesTransposed(vertices, vertices, k, k, n), k)
		solver, err := Solver(0).start(points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			products := make([]float64, k)
			for topic := range k {
				for j := range n {
					products[topic] += vertices[topic*n+j] * c.Row(i)[j] / model.rowSums[i]
				}
			}
			solver.solve(products)
			for topic, want := range solver.solution()[:k] {
				near(t, fmt.Sprintf("share %d of item %d", topic, i), got.Mixtures.Row(i)[topic], want, 1e-6, 1)
			}
		}
	}
}

// TestPolishedCorrelations checks that A is what the groups of items ask for: with C = B·A·Bᵀ and B as it is found, G·C·Gᵀ is
// (G·B)·A·(G·B)ᵀ.
func TestPolishedCorrelations(t *testing.T) {
	const n, k = 70, 4
	model := plant(random(6), n, k)
	plain, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: RowSumsExact})
	if err != nil {
		t.Fatal(err)
	}
	topicOf := make([]int32, n)
	for i := range topicOf {
		topicOf[i] = -1
		for topic, share := range plain.Mixtures.Row(i) {
			if share >= purity {
				topicOf[i] = int32(topic)
			}
		}
	}
	want := append([]float64(nil), plain.TopicJoint...)
	clear(plain.TopicJoint)
	if err := plain.correlateGroups(t.Context(), topicOf, &Options{}); err != nil {
		t.Fatal(err)
	}
	for at, a := range plain.TopicJoint {
		near(t, fmt.Sprintf("A[%d]", at), a, want[at], 1e-7, 1)
	}
}
