// This file shows the topics as points of a plane, and the items in the plane of the anchors, before and after the rectification.

package report

import (
	"context"
	"fmt"
	"html/template"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/page"
)

var mapsTemplate = template.Must(template.New("maps").Parse(`{{.Topics}}
{{with .Rectified}}<h3>Items and the hull of the anchors</h3>
<p>Every item is a point: what it occurs with, C̄. Anchors are the corners among which all other items should lie, as mixtures of them. Rectification moves the points so that they do (Lee et al., ICML 2021, Figure 2). A plane shows a hull of many dimensions, so corners may lie inside.</p>
<div class="pair">{{.}}{{$.Before}}</div>{{end}}`))

func (r *report) maps() (template.HTML, error) {
	topics, err := r.topicMap()
	if err != nil || topics == nil {
		return "", err
	}
	data := struct{ Topics, Rectified, Before template.HTML }{Topics: topics.HTML()}
	if d := r.m.Diagnostics; d != nil && d.Map != nil && len(r.m.Anchors) > 0 {
		data.Rectified = r.itemMap("items-rectified", "Rectified", d.Map.X, d.Map.Y).HTML()
		if len(d.Map.BeforeX) > 0 && !math.IsNaN(d.Map.BeforeX[0]) {
			data.Before = r.itemMap("items-counted", "As counted, before the rectification", d.Map.BeforeX, d.Map.BeforeY).HTML()
		}
	}
	return page.Render(mapsTemplate, data), nil
}

// topicMap lays topics out by classical scaling (Torgerson, Psychometrika 17, 1952) of the distances √(2 − 2s), where s is how alike they are.
func (r *report) topicMap() (*page.Scatter, error) {
	k := r.m.Topics()
	if k < 3 {
		return nil, nil
	}
	s := r.similarity()
	x, y, kept, err := scaled(r.ctx, s, k)
	if err != nil || x == nil {
		return nil, err
	}
	chart := &page.Scatter{Chart: page.Chart{ID: "topic-map", Title: "Map of topics",
		About: fmt.Sprintf("A map of %d topics as circles. Topics that share items or documents lie near each other; the area of a circle is the topic's share. The table lists the places, and the nearest topic of each.", k),
		Note:  fmt.Sprintf("Near: topics that share items (B) or documents (A). Area: share. Lines join each topic to the one most like it. Two dimensions show %s of what distinguishes the topics; point at a circle for its items.", page.Share(kept)),
		Behind: page.Table{Caption: "Places of topics", Columns: []page.Column{{Name: "Topic"}, {Name: "Share", Numeric: true}, {Name: "x", Numeric: true}, {Name: "y", Numeric: true},
			{Name: "Most like"}, {Name: "How alike", Numeric: true, Note: "from 0 to 1"}, {Name: "Items"}}}}}
	most := r.m.Shares[r.order[0]]
	drawn := r.order[:min(k, r.detail.figures)]
	at := make(map[int]int, len(drawn))
	for n, topic := range drawn {
		at[topic] = n
		chart.Points = append(chart.Points, page.Point{X: x[topic], Y: y[topic], Shape: page.Circle, Size: math.Sqrt(r.m.Shares[topic]/most) / math.Max(1, math.Sqrt(float64(k)/60)),
			Name: r.gist(topic, 1), Tip: r.label(topic) + ", " + page.Share(r.m.Shares[topic]) + ": " + r.gist(topic, 6)})
	}
	for n, topic := range drawn {
		like := -1
		for other := range k {
			if other != topic && (like < 0 || s[topic*k+other] > s[topic*k+like]) {
				like = other
			}
		}
		if to, known := at[like]; known {
			chart.Links = append(chart.Links, [2]int{n, to})
		}
		chart.Behind.Rows = append(chart.Behind.Rows, []page.Cell{r.topicCell(topic), page.Percent(r.m.Shares[topic]), page.Value(x[topic]), page.Value(y[topic]),
			r.topicCell(like), page.Value(s[topic*k+like]), {Text: r.gist(topic, 4), Data: true}})
	}
	return chart, nil
}

// similarity returns how alike topics are, K×K, from 0 to 1: the mean of the Bhattacharyya coefficient Σ_i √(b_ik·b_il) over the items by
// which topics are read, of B scaled to sum to 1 over them, and of A_kl/√(A_kk·A_ll), between 0 and 1.
func (r *report) similarity() []float64 {
	if r.similar != nil {
		return r.similar
	}
	k := r.m.Topics()
	rows, sums := r.readRows()
	s := make([]float64, k*k)
	for _, row := range rows {
		for a, v := range row {
			if row[a] = math.Sqrt(v / sums[a]); row[a] == 0 {
				continue
			}
			for b, w := range row[:a+1] {
				s[a*k+b] += row[a] * w
			}
		}
	}
	joint := r.m.TopicJoint
	for a := range k {
		for b := range a {
			c := joint[a*k+b] / math.Sqrt(joint[a*k+a]*joint[b*k+b])
			if !(c > 0) { // also of topics with nothing on the diagonal
				c = 0
			}
			s[a*k+b] = (min(s[a*k+b], 1) + min(c, 1)) / 2
			s[b*k+a] = s[a*k+b]
		}
		s[a*k+a] = 1
	}
	r.similar = s
	return s
}

// readRows returns the rows of B of the items by which topics are read, and their sums over these items.
func (r *report) readRows() (rows [][]float64, sums []float64) {
	k := r.m.Topics()
	sums = make([]float64, k)
	taken := make(map[int]bool)
	for _, list := range r.m.Prominent {
		for _, listed := range list {
			if taken[listed.Item] {
				continue
			}
			taken[listed.Item] = true
			row := make([]float64, k)
			r.m.ItemRow(row, listed.Item)
			for a, v := range row {
				sums[a] += v
			}
			rows = append(rows, row)
		}
	}
	for a, sum := range sums {
		if sum == 0 {
			sums[a] = 1
		}
	}
	return rows, sums
}

// scaled returns the two leading coordinates of n points with the inner products s, and the share of the positive part of the spectrum that
// they hold. Without two directions it returns nil.
func scaled(ctx context.Context, s []float64, n int) (x, y []float64, kept float64, err error) {
	means, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += s[i*n+j] / float64(n)
		}
		all += means[i] / float64(n)
	}
	centred := make([]float64, n*n)
	for i := range n {
		for j := range n {
			centred[i*n+j] = s[i*n+j] - means[i] - means[j] + all
		}
	}
	values, vectors, err := kernel.LeadingEigen(ctx, centred, n, 2, 1)
	if err != nil || !(values[1] > 0) {
		return nil, nil, 0, ctx.Err()
	}
	positive := 0.0
	for _, v := range values {
		positive += max(v, 0)
	}
	for j, axis := range []*[]float64{&x, &y} {
		far := 0.0
		for i := range n {
			v := vectors[i*2+j] * math.Sqrt(values[j])
			*axis = append(*axis, v)
			if math.Abs(v) > math.Abs(far) {
				far = v
			}
		}
		for i := range n { // the sign of an eigenvector means nothing
			(*axis)[i] = math.Copysign(1, far) * (*axis)[i]
		}
	}
	return x, y, (values[0] + values[1]) / positive, nil
}

// outside is how many times as far from the middle as the farthest anchor an item is still drawn.
const outside = 1.6

// itemMap shows items in the plane of the anchors.
func (r *report) itemMap(id, title string, x, y []float64) *page.Scatter {
	m := r.m
	items, anchors := m.Diagnostics.Map.Items, len(m.Anchors)
	far := 0.0
	corners := make([][2]float64, anchors)
	for k := range anchors {
		corners[k] = [2]float64{x[k], y[k]}
		far = max(far, math.Hypot(x[k], y[k]))
	}
	hull := page.Hull(corners)
	onHull := make(map[int]bool)
	for _, k := range hull {
		onHull[k] = true
	}
	chart := &page.Scatter{Chart: page.Chart{ID: id, Title: title, Behind: page.Table{Columns: []page.Column{{Name: "Anchor"}, {Name: "Topic"}, {Name: "x", Numeric: true}, {Name: "y", Numeric: true},
		{Name: "On the hull"}}}}, Hull: hull, Height: 560}
	for k := range anchors {
		point := page.Point{X: x[k], Y: y[k], Shape: page.Diamond, Tip: m.Vocabulary.ID(items[k]), Size: m.Shares[k]}
		on := "no"
		if onHull[k] {
			point.Name, point.Size, on = m.Vocabulary.ID(items[k]), 1+m.Shares[k], "yes"
		}
		chart.Points = append(chart.Points, point)
		if k < 200 {
			chart.Behind.Rows = append(chart.Behind.Rows, []page.Cell{page.Named(m.Vocabulary.ID(items[k])), r.topicCell(k), page.Value(x[k]), page.Value(y[k]), page.Text(on)})
		}
	}
	drawn, left := 0, 0
	for n := anchors; n < len(items) && drawn+left < r.detail.dots; n++ {
		if math.Hypot(x[n], y[n]) > outside*far {
			left++
			continue
		}
		drawn++
		chart.Points = append(chart.Points, page.Point{X: x[n], Y: y[n]})
	}
	chart.Note = fmt.Sprintf("◆ anchors, • the %s most frequent items.", page.Count(int64(drawn+left)))
	if left > 0 {
		chart.Note += fmt.Sprintf(" %s of them lie far outside and are left out.", page.Count(int64(left)))
	}
	chart.About = fmt.Sprintf("A map of %d anchors and %d items. The hull of the anchors has %d corners in this plane. The table lists the anchors.", anchors, drawn, len(hull))
	chart.Behind.Caption = "Places of the anchors"
	if anchors > 200 {
		chart.Behind.Caption = "Places of the first 200 anchors; map.parquet has all"
	}
	return chart
}
