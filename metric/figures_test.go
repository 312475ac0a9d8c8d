package metric_test

import (
	"math"
	"slices"
	"testing"

	"anchorage/matrix"
	"anchorage/metric"
)

func TestCorrelationFigures(t *testing.T) {
	a := []float64{0.4, 0.1, 0.1, 0.2}
	near(t, "dominancy", metric.Dominancy(a), (0.8+2.0/3)/2)
	near(t, "relative dominancy", metric.RelativeDominancy(a), 0.3/math.Sqrt(0.22))
	near(t, "sum", metric.JointSum(a), 0.8)
	near(t, "dominancy of a topic that co-occurs with none", metric.Dominancy([]float64{1, 0, 0, 0}), 0.5)
	defer func() {
		if recover() == nil {
			t.Error("a matrix that is not square is taken")
		}
	}()
	metric.Dominancy(a[:3])
}

func TestFiguresOfB(t *testing.T) {
	// One topic with a single item, one with four equally likely ones.
	b := tall([]float64{1, 0.25}, []float64{0, 0.25}, []float64{0, 0.25}, []float64{0, 0.25})
	near(t, "sparsity", metric.Sparsity(b), 0.5)
	near(t, "specificity", metric.Specificity(b, []float64{0.25, 0.25, 0.25, 0.25}), math.Log(4)/2)
	near(t, "specificity without the first item", metric.Specificity(b, []float64{0, 0.25, 0.25, 0.5}),
		(0.25*math.Log(0.5))/2)
	near(t, "exclusivity", metric.Exclusivity(b, [][]int{{0}, {0, 1}}), (0.8+0.6)/2)
	near(t, "exclusivity of nothing", metric.Exclusivity(b, [][]int{{1}, {}}), 0)
}

func TestFiguresOfLists(t *testing.T) {
	lists := [][]int{{0, 1, 2}, {2, 3}, {4, 0}}
	near(t, "dissimilarity", metric.Dissimilarity(lists), 1) // 1, 3 and 4 are in one list only
	near(t, "diversity", metric.TopicDiversity(lists), 5.0/7)
}

func TestProminent(t *testing.T) {
	topics := &metric.Topics{Items: tall([]float64{0.2, 0}, []float64{0.2, 0.5}, []float64{0.5, 0}, []float64{0.1, 0.5},
		[]float64{0, 0})}
	for count, want := range map[int][][]int{
		0: {nil, nil}, 1: {{2}, {1}}, 2: {{2, 0}, {1, 3}}, 9: {{2, 0, 1, 3}, {1, 3}},
	} {
		got := topics.Prominent(count)
		for k := range want {
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("the %d top items of topic %d are %v, want %v", count, k, got[k], want[k])
			}
		}
	}
}

// naiveAnchorQuality sorts.
func naiveAnchorQuality(items *matrix.Tall, anchors []int) float64 {
	sum, count := 0.0, 0.0
	for k, s := range anchors {
		for l := range anchors {
			if k == l {
				continue
			}
			greater, equal := 0, 0
			for i := range items.Rows() {
				switch p := items.Row(i)[l]; {
				case p > items.Row(s)[l]:
					greater++
				case p == items.Row(s)[l]:
					equal++
				}
			}
			sum += float64(greater) + float64(equal+1)/2
			count++
		}
	}
	return sum / count
}

func TestAnchorQuality(t *testing.T) {
	b := tall([]float64{0.7, 0}, []float64{0, 0.5}, []float64{0.2, 0.5}, []float64{0.1, 0}, []float64{0, 0})
	// Anchor 0 is one of the last three in topic 1: rank 4. Anchor 1 is one of the last two in topic 0: rank 4.5.
	near(t, "anchor quality", metric.AnchorQuality(b, []int{0, 1}), 4.25)
	near(t, "anchor quality of one topic", metric.AnchorQuality(tall([]float64{1}), []int{0}), math.NaN())
	topics := someTopics(60, 7, 3)
	for i := range 60 {
		for k := range 7 {
			if (i+k)%3 == 0 {
				topics.Items.Row(i)[k] = 0
			}
		}
	}
	near(t, "anchor quality", metric.AnchorQuality(topics.Items, topics.Anchors), naiveAnchorQuality(topics.Items,
		topics.Anchors))
}
