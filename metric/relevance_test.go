package metric_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/anchor"
	"anchorage/matrix"
	"anchorage/metric"
)

// naiveRelevance sorts all items of every topic by the formula as it is written.
func naiveRelevance(b *matrix.Tall, p []float64, lambda float64, count int) [][]anchor.Scored {
	lists := make([][]anchor.Scored, b.Cols())
	for k := range lists {
		items := make([]int, b.Rows())
		score := make([]float64, b.Rows())
		for i := range items {
			items[i], score[i] = i, math.Inf(-1)
			if v := b.Row(i)[k]; v > 0 && p[i] > 0 {
				score[i] = lambda*math.Log(v) + (1-lambda)*math.Log(v/p[i])
			}
		}
		slices.SortStableFunc(items, func(x, y int) int { return cmp.Compare(score[y], score[x]) })
		for _, i := range items[:min(count, len(items))] {
			lists[k] = append(lists[k], anchor.Scored{Item: i, Probability: b.Row(i)[k]})
		}
	}
	return lists
}

// randomTopics returns B with a share of zeros, and p with a few.
func randomTopics(n, k int, zeros float64) (*matrix.Tall, []float64) {
	random := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	b, p := matrix.NewTall(n, k), make([]float64, n)
	for i := range p {
		p[i] = math.Exp(-12 * random.Float64())
		if random.Float64() < zeros/10 {
			p[i] = 0
		}
		for j := range b.Row(i) {
			if random.Float64() >= zeros {
				b.Row(i)[j] = math.Exp(-12 * random.Float64())
			}
		}
	}
	return b, p
}

func TestRelevance(t *testing.T) {
	for _, n := range []int{0, 1, 7, 300, matrix.BlockRows, 3*matrix.BlockRows + 11} {
		for _, zeros := range []float64{0, 0.3, 0.999, 1} {
			b, p := randomTopics(n, 5, zeros)
			for _, lambda := range []float64{0, 0.3, 0.6, 1} {
				for _, count := range []int{0, 1, 10, 25} {
					want := naiveRelevance(b, p, lambda, count)
					for _, workers := range []int{1, 3} {
						got := metric.Relevance(b, p, lambda, count, workers)
						for k := range want {
							if !slices.Equal(got[k], want[k]) {
								t.Fatalf("%d items, zeros %g, λ %g, %d of topic %d:\n%v\nwant\n%v", n, zeros, lambda, count, k, got[k], want[k])
							}
						}
					}
				}
			}
		}
	}
}

// Equal items come in their order, also across blocks; what is no number comes last.
func TestRelevanceTies(t *testing.T) {
	n := 2*matrix.BlockRows + 5
	b, p := matrix.NewTall(n, 2), make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
		b.Row(i)[0] = 0.25
		b.Row(i)[1] = math.NaN()
	}
	b.Row(matrix.BlockRows)[0], b.Row(n - 1)[0], b.Row(3)[0] = 0.5, 0.5, 0
	b.Row(n - 2)[1] = 1e-300
	for _, lambda := range []float64{0, 0.6, 1} {
		lists := metric.Relevance(b, p, lambda, 6, 2)
		for k, want := range []string{fmt.Sprint([]int{matrix.BlockRows, n - 1, 0, 1, 2, 4}), fmt.Sprint([]int{n - 2, 0, 1, 2, 3, 4})} {
			var items []int
			for _, s := range lists[k] {
				items = append(items, s.Item)
			}
			if got := fmt.Sprint(items); got != want {
				t.Errorf("λ %g, topic %d: %s, want %s", lambda, k, got, want)
			}
		}
	}
}

func TestRelevanceRefuses(t *testing.T) {
	b, p := randomTopics(10, 2, 0)
	for name, call := range map[string]func(){
		"p":  func() { metric.Relevance(b, p[1:], 1, 5, 1) },
		"λ":  func() { metric.Relevance(b, p, 1.5, 5, 1) },
		"λ²": func() { metric.Relevance(b, p, math.NaN(), 5, 1) },
	} {
		panics(t, name, call)
	}
}
