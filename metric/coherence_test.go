package metric_test

import (
	"context"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/metric"
)

// four documents: {0,1}, {0,1,2}, {0}, {3,3}, and one with a single token, which does not count.
func fourDocuments() *corpus.Documents {
	return &corpus.Documents{
		Offsets: []int32{0, 2, 5, 6, 7, 8},
		Items:   []int32{0, 1, 0, 1, 2, 0, 3, 1}, Counts: []int32{1, 1, 1, 1, 2, 2, 2, 1},
	}
}

func count(t *testing.T, docs *corpus.Documents, items int, lists [][]int) *metric.Pairs {
	t.Helper()
	p, err := metric.CountPairs(context.Background(), inBatches(docs, 3), items, lists, 2)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCoherences(t *testing.T) {
	pairs := count(t, fourDocuments(), 5, [][]int{{0, 1, 2}, {3, 4}})
	if pairs.Documents != 4 {
		t.Fatalf("%d documents", pairs.Documents)
	}
	// D(0) = 3, D(1) = 2, D(2) = 1, D(0,1) = 2, D(0,2) = D(1,2) = 1. Item 4 is in no document: its list has no pair.
	near(t, "reference", metric.ReferenceCoherence(pairs), math.Log(2.01/3)+math.Log(1.01/3)+math.Log(1.01/2))
	near(t, "UMass", metric.UMass(pairs), (math.Log(3.0/3)+math.Log(2.0/3)+math.Log(2.0/2))/3)
	near(t, "NPMI", metric.NPMI(pairs),
		(math.Log(0.5/0.375)/math.Log(2)+math.Log(0.25/0.1875)/math.Log(4)+math.Log(0.25/0.125)/math.Log(4))/3)
	near(t, "NPMI of two", metric.NPMI(pairs.Leading(2)), math.Log(0.5/0.375)/math.Log(2))
	near(t, "nothing", metric.NPMI(pairs.Leading(1)), math.NaN())
	apart := count(t, fourDocuments(), 5, [][]int{{2, 3}})
	near(t, "NPMI of items that are never together", metric.NPMI(apart), -1)
	always := count(t, &corpus.Documents{Offsets: []int32{0, 2, 4}, Items: []int32{0, 1, 0, 1}, Counts: []int32{1, 1, 1,
		1}}, 2, [][]int{{0, 1}})
	near(t, "NPMI of items that are always together", metric.NPMI(always), 1)
}

func TestMSTIncoherence(t *testing.T) {
	docs := fourDocuments()
	c, p, _ := coOccurrences(docs, 5)
	edge := func(i, j int) float64 {
		if c[i][j] == 0 {
			return 1
		}
		return (1 - math.Log(c[i][j]/(p[i]*p[j]))/-math.Log(c[i][j])) / 2
	}
	pairs := count(t, docs, 5, [][]int{{0, 1, 2}, {2, 3, 4}, {}})
	costs := []float64{edge(0, 1), edge(0, 2), edge(1, 2)}
	want := costs[0] + costs[1] + costs[2] - max(costs[0], costs[1], costs[2])
	near(t, "incoherence", metric.MSTIncoherence(pairs, p), (want+2)/3)
}

// TestMSTIncoherenceAgainstAllTrees compares with the cheapest of all spanning trees of four nodes.
func TestMSTIncoherenceAgainstAllTrees(t *testing.T) {
	const n = 40
	docs := drawn(n, 3, 150)
	c, p, _ := coOccurrences(docs, n)
	for first := 0; first+4 <= n; first += 4 {
		list := []int{first, first + 1, first + 2, first + 3}
		type pair struct{ i, j int }
		var edges []pair
		for i := range 4 {
			for j := range i {
				edges = append(edges, pair{i, j})
			}
		}
		best := math.Inf(1)
		for set := range 1 << len(edges) {
			cost, parts, color := 0.0, 4, [4]int{0, 1, 2, 3}
			for e, at := range edges {
				if set>>e&1 == 0 {
					continue
				}
				i, j := list[at.i], list[at.j]
				npmi := -1.0
				if c[i][j] > 0 {
					npmi = math.Log(c[i][j]/(p[i]*p[j])) / -math.Log(c[i][j])
				}
				cost += (1 - npmi) / 2
				if from, to := color[at.i], color[at.j]; from != to {
					parts--
					for v := range color {
						if color[v] == from {
							color[v] = to
						}
					}
				}
			}
			if parts == 1 {
				best = min(best, cost)
			}
		}
		near(t, "incoherence", metric.MSTIncoherence(count(t, docs, n, [][]int{list}), p), best)
	}
}

func TestCountPairsAgainstDefinition(t *testing.T) {
	const n = 60
	docs := drawn(n, 4, 400)
	lists := [][]int{{0, 1, 2, 3, 4, 5}, {}, {7}, {5, 9, 59, 30, 2}, {}}
	for i := range 60 { // a long list, that all others share items with
		lists[4] = append(lists[4], 59-i)
	}
	together := func(i, j int) (documents int64) {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			hasI, hasJ, tokens := false, false, 0
			for at, item := range items {
				hasI = hasI || int(item) == i
				hasJ = hasJ || int(item) == j
				tokens += int(counts[at])
			}
			if hasI && hasJ && tokens > 1 {
				documents++
			}
		}
		return documents
	}
	for _, workers := range []int{1, 2, 3, 7} {
		got, err := metric.CountPairs(context.Background(), inBatches(docs, 10*workers), n, lists, workers)
		if err != nil {
			t.Fatal(err)
		}
		if got.Documents != 400 {
			t.Fatalf("%d documents", got.Documents)
		}
		for l, list := range lists {
			for a, i := range list {
				if count, want := got.Lists[l].Single(a), together(i, i); count != want {
					t.Fatalf("%d workers: %d documents with item %d, want %d", workers, count, i, want)
				}
				for b, j := range list[:a] {
					if count, want := got.Lists[l].Joint(a, b), together(i, j); count != want || count != got.Lists[l].Joint(b, a) {
						t.Fatalf("%d workers: %d documents with items %d and %d, want %d", workers, count, i, j, want)
					}
				}
			}
		}
	}
}
