package anchor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
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
		points := newSimplexPoints(kernel.TimesTransposed(context.Background(), vertices, vertices, k, k, n), k)
		solver := newActiveSet(points)
		for i := range n {
			products := make([]float64, k)
			for topic := range k {
				for j := range n {
					products[topic] += vertices[topic*n+j] * c.Row(i)[j] / model.rowSums[i]
				}
			}
			solver.solve(products)
			for topic, want := range solver.b[:k] {
				near(t, fmt.Sprintf("share %d of item %d", topic, i), got.Mixtures.Row(i)[topic], want, 1e-6, 1)
			}
		}
	}
}

// TestPolishedCorrelations checks that A is what the groups of items ask for: with C = B·A·Bᵀ and B as it is found,
// G·C·Gᵀ is (G·B)·A·(G·B)ᵀ.
func TestPolishedCorrelations(t *testing.T) {
	const n, k = 70, 4
	model := plant(random(6), n, k)
	plain, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: RowSumsExact})
	if err != nil {
		t.Fatal(err)
	}
	topicOf, err := assign(t.Context(), plain.Mixtures, n, &Options{})
	if err != nil {
		t.Fatal(err)
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

// TestSingularGroupsAreReported takes all items of one topic out of its group, so that G·B has a row of zeros, and then
// makes two groups of one mixture: A must stay what it is, and Stats must say so.
func TestSingularGroupsAreReported(t *testing.T) {
	const n, k = 70, 4
	model := plant(random(6), n, k)
	topics, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: RowSumsExact})
	if err != nil {
		t.Fatal(err)
	}
	full, err := assign(t.Context(), topics.Mixtures, n, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	empty := slices.Clone(full)
	for i, topic := range empty {
		if topic == 2 {
			empty[i] = -1
		}
	}
	same := slices.Repeat([]int32{-1}, n)
	for topic, anchor := range topics.Anchors {
		same[anchor] = int32(topic)
	}
	mixtures := topics.Mixtures
	for name, topicOf := range map[string][]int32{"an empty group": empty, "two groups alike": same} {
		topics.Mixtures = mixtures.Copy(k)
		if name == "two groups alike" {
			for _, anchor := range topics.Anchors[1:3] {
				copy(topics.Mixtures.Row(anchor), []float64{0, 0.5, 0.5, 0})
			}
		}
		want := slices.Clone(topics.TopicJoint)
		topics.Stats.Unpolished = Unpolished{}
		if err := topics.correlateGroups(t.Context(), topicOf, &Options{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(topics.TopicJoint, want) {
			t.Errorf("%s: A changed", name)
		}
		if u := topics.Stats.Unpolished; u.JointRows != k || u.Rows() != k || !(u.Condition > 1e16) {
			t.Errorf("%s: reported as %+v", name, u)
		}
	}
	topics.Mixtures, topics.Stats.Unpolished = mixtures, Unpolished{}
	if err := topics.correlateGroups(t.Context(), full, &Options{}); err != nil ||
		topics.Stats.Unpolished != (Unpolished{}) {
		t.Errorf("a regular matrix is reported as %+v, %v", topics.Stats.Unpolished, err)
	}
}

// TestTopicWithoutItems asks for the mean rows of two topics of which one has no item: it keeps the row of its anchor.
func TestTopicWithoutItems(t *testing.T) {
	x := matrix.NewTall(3, 2)
	for i, row := range [][]float64{{2, 4}, {9, 3}, {4, 0}} {
		copy(x.Row(i), row)
	}
	vertices, empty, err := meanRows(t.Context(), x, []int32{0, -1, 0}, []float64{2, 3, 1}, apart([]int{0, 1}), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{2, 4.0 / 3, 3, 1}; !slices.Equal(vertices, want) || empty != 1 {
		t.Errorf("rows %v and %d topics without items, want %v and 1", vertices, empty, want)
	}
	if slices.ContainsFunc(vertices, math.IsNaN) {
		t.Error("a mean of nothing")
	}
}
