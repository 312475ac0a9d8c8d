// This file shows A as a heat map.

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"anchorage/internal/page"
)

// reach is the lift, as a power of 2, from which the heat map has its strongest colours; unlinked is for pairs that
// never occur together.
const (
	reach    = 3.0
	unlinked = -8.0
)

func (r *report) joint() (template.HTML, error) {
	k := r.m.Topics()
	if k < 3 {
		return "", nil
	}
	order, lift := r.linked, r.lifts
	n := min(k, r.detail.joint)
	chart := page.HeatMap{Chart: page.Chart{ID: "joint", Title: "A, ordered by clusters",
		About: fmt.Sprintf("A heat map of how often %d topics occur in the same documents, compared with chance. Topics "+
			"that are alike are together. The table lists the pairs that occur together most.", k),
		Note: "How often two tokens of a document belong to a pair of topics, for their shares, compared with the pair in " +
			"the middle of all. Full squares: more often. Frames: less often. The larger, the farther from that."},
		Values: make([]float64, n*n), Names: make([]string, n), Reach: reach, Middle: middle(lift, k),
		Legend: [3]string{"⅛ as often", "the pair in the middle", "8 times as often"}}
	for a := range n {
		first, last := a*k/n, (a+1)*k/n
		chart.Names[a] = r.short(order[first], 1)
		for b := range n {
			sum, count := 0.0, 0
			for _, i := range order[first:last] {
				for _, j := range order[b*k/n : (b+1)*k/n] {
					sum += lift[i*k+j]
					count++
				}
			}
			chart.Values[a*n+b] = sum / float64(count)
		}
	}
	if n == k {
		for _, topic := range order {
			chart.Hrefs = append(chart.Hrefs, r.place(topic))
		}
	} else {
		chart.Note += fmt.Sprintf(" To keep the page small, a square is the mean of about %d neighbouring topics by %d.",
			(k+n-1)/n, (k+n-1)/n)
	}
	chart.Behind = r.pairTable()
	return chart.HTML(), nil
}

// lift returns log₂ of A_kl·ΣA/(a_k·a_l), K×K, with the sums a_k of the rows.
func (r *report) lift() []float64 {
	k, joint := r.m.Topics(), r.m.TopicJoint
	sums, all := make([]float64, k), 0.0
	for at, v := range joint {
		sums[at/k] += v
		all += v
	}
	lift := make([]float64, k*k)
	for at, v := range joint {
		lift[at] = math.Log2(v * all / (sums[at/k] * sums[at%k]))
		if math.IsNaN(lift[at]) || lift[at] < unlinked {
			lift[at] = unlinked
		}
		lift[at] = min(lift[at], -unlinked)
	}
	return lift
}

// middle returns the median of the pairs of different topics.
func middle(lift []float64, k int) float64 {
	var pairs []float64
	for a := range k {
		pairs = append(pairs, lift[a*k:a*k+a]...)
	}
	slices.Sort(pairs)
	return pairs[len(pairs)/2]
}

// mostPairs is the number of pairs of topics that are listed.
const mostPairs = 200

// leadingPairs returns the pairs of different topics that occur together most, compared with chance.
func leadingPairs(lift []float64, k int) [][2]int {
	var pairs [][2]int
	for a := range k {
		for b := range a {
			pairs = append(pairs, [2]int{b, a})
		}
	}
	slices.SortStableFunc(pairs, func(p, q [2]int) int { return cmp.Compare(lift[q[0]*k+q[1]], lift[p[0]*k+p[1]]) })
	return slices.Clone(pairs[:min(len(pairs), mostPairs)])
}

// pairTable lists these pairs.
func (r *report) pairTable() page.Table {
	k, lift := r.m.Topics(), r.lifts
	t := page.Table{Caption: "Pairs of topics, those that occur together most first",
		Columns: columns("Topic", "And", "#Joint probability", "#Times chance")}
	if len(r.pairs) == mostPairs {
		t.Caption = fmt.Sprintf("The %d pairs of topics that occur together most; correlations.parquet has all", mostPairs)
	}
	for _, p := range r.pairs {
		t.Add(r.topicCell(p[0]), r.topicCell(p[1]), page.Percent(2*r.m.TopicJoint[p[0]*k+p[1]]),
			page.Value(math.Exp2(lift[p[0]*k+p[1]])))
	}
	return t
}
