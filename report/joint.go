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

// reach is the lift, as a power of 2, from which the heat map has its strongest colours; unlinked stands for pairs that never occur together.
const (
	reach    = 3.0
	unlinked = -8.0
)

func (r *report) joint() (template.HTML, error) {
	k := r.m.Topics()
	order := clustered(r.similarity(), k)
	lift := r.lift()
	n := min(k, r.detail.joint)
	chart := page.HeatMap{Chart: page.Chart{ID: "joint", Title: "A, ordered by clusters",
		About: fmt.Sprintf("A heat map of how often %d topics occur in the same documents, compared with chance. Topics that are alike stand together. The table lists the pairs that occur together most.", k),
		Note:  "Full squares: pairs of topics that two tokens of a document belong to more often than if topics were independent. Frames: less often. The larger, the farther from that."},
		Values: make([]float64, n*n), Names: make([]string, n), Reach: reach, Legend: [3]string{"⅛ as often", "as by chance", "8 times as often"}}
	for a := range n {
		first, last := a*k/n, (a+1)*k/n
		chart.Names[a] = r.gist(order[first], 1)
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
	if n < k {
		chart.Note += fmt.Sprintf(" To keep the page small, a square is the mean of about %d neighbouring topics by %d.", (k+n-1)/n, (k+n-1)/n)
	}
	chart.Behind = r.pairs(lift)
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

// pairs is the table of the pairs of different topics that occur together most, compared with chance.
func (r *report) pairs(lift []float64) page.Table {
	const most = 200
	k := r.m.Topics()
	var pairs [][2]int
	for a := range k {
		for b := range a {
			pairs = append(pairs, [2]int{b, a})
		}
	}
	slices.SortStableFunc(pairs, func(p, q [2]int) int { return cmp.Compare(lift[q[0]*k+q[1]], lift[p[0]*k+p[1]]) })
	t := page.Table{Caption: "Pairs of topics, those that occur together most first", Columns: []page.Column{{Name: "Topic"}, {Name: "And"}, {Name: "Joint probability", Numeric: true},
		{Name: "Times chance", Numeric: true}, {Name: "Items of the first"}, {Name: "Items of the second"}}}
	if len(pairs) > most {
		pairs = pairs[:most]
		t.Caption = fmt.Sprintf("The %d pairs of topics that occur together most; correlations.parquet has all", most)
	}
	for _, p := range pairs {
		t.Rows = append(t.Rows, []page.Cell{r.topicCell(p[0]), r.topicCell(p[1]), page.Percent(2 * r.m.TopicJoint[p[0]*k+p[1]]), page.Value(math.Exp2(lift[p[0]*k+p[1]])),
			{Text: r.gist(p[0], 3), Data: true}, {Text: r.gist(p[1], 3), Data: true}})
	}
	return t
}
