package metric_test

import (
	"math"
	"testing"

	"anchorage/metric"
)

// The figures of scikit-learn 1.2.1, sklearn.metrics.mutual_info_score, normalized_mutual_info_score and
// adjusted_mutual_info_score.
func TestAgreementReference(t *testing.T) {
	grouped := func(n int, of func(x int) int) []int32 {
		out := make([]int32, n)
		for x := range out {
			out[x] = int32(of(x))
		}
		return out
	}
	many := grouped(1000, func(x int) int { return x * 7919 % 13 % 5 })
	near := grouped(1000, func(x int) int {
		quarter := 0
		if x%4 == 0 {
			quarter = 1
		}
		return (int(many[x])*3 + quarter) % 9
	})
	for _, c := range []struct {
		groups, labels             []int32
		information, nmi, adjusted float64
	}{
		{[]int32{0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 1}, []int32{0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 0, 0}, 0.592910156314434,
			0.48270987152311623, 0.26985630683882617},
		{many, grouped(1000, func(x int) int { return (x*x*31 + x/7) % 11 }), unrelatedInformation, unrelatedNormalized,
			unrelatedAdjusted},
		{many, near, 1.073529873820028, 0.6653360438141266, 0.6632258723004542},
		{many, many, -1, 1, 1},
	} {
		a := metric.Agree(c.groups, c.labels)
		if c.information >= 0 && math.Abs(a.MutualInformation-c.information) > 1e-12 ||
			math.Abs(a.Normalized-c.nmi) > 1e-12 || math.Abs(a.Adjusted-c.adjusted) > 1e-9 {
			t.Errorf("%+v: want %v, %v, %v", a, c.information, c.nmi, c.adjusted)
		}
		if b := metric.Agree(c.labels, c.groups); math.Abs(b.Adjusted-a.Adjusted) > 1e-12 || b.Groups != a.Labels {
			t.Errorf("exchanged: %+v and %+v", a, b)
		}
	}
}

const (
	unrelatedInformation = 2.469977207820301e-05
	unrelatedNormalized  = 1.2466938371268464e-05
	unrelatedAdjusted    = -0.0103294920217688
)

// E is the mean of I over all orders of the labels.
func TestAgreementExpectation(t *testing.T) {
	groups, labels := []int32{0, 0, 1, 1, 1, 4, 4}, []int32{0, 1, 1, 0, 2, 2, 2}
	total, orders := 0.0, 0.0
	var permute func(k int)
	permute = func(k int) {
		if k == 1 {
			total += metric.Agree(groups, labels).MutualInformation
			orders++
			return
		}
		for i := range k {
			permute(k - 1)
			j := i
			if k%2 == 1 {
				j = 0
			}
			labels[j], labels[k-1] = labels[k-1], labels[j]
		}
	}
	permute(len(labels))
	a := metric.Agree(groups, labels)
	mean := a.MutualInformation / a.Normalized
	want := (a.MutualInformation - total/orders) / (mean - total/orders)
	if math.Abs(a.Adjusted-want) > 1e-12 {
		t.Errorf("adjusted is %v, and by all %v orders %v", a.Adjusted, orders, want)
	}
	if a.Groups != 3 {
		t.Errorf("%d groups: one has no observation", a.Groups)
	}
}

// A single group says nothing.
func TestAgreementSingle(t *testing.T) {
	for _, c := range [][2][]int32{{nil, nil}, {{0, 0}, {1, 2}}, {{3, 4}, {1, 1}}, {{0}, {0}}} {
		if a := metric.Agree(c[0], c[1]); a.Normalized != 0 || a.Adjusted != 0 || a.MutualInformation != 0 {
			t.Errorf("%v: %+v", c, a)
		}
	}
}
