// This file shows the topics as points of a plane, the items among the anchors, before and after the rectification,
// and the map of all items, if the model has one.

package report

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"math"

	"anchorage/internal/page"
	"anchorage/model/itemmap"
)

func (r *report) maps() (template.HTML, error) {
	if r.x == nil {
		return "", nil
	}
	data := struct{ Topics, Rectified, Before template.HTML }{Topics: r.topicMap().HTML()}
	if d := r.m.Diagnostics; d != nil && d.Map != nil && len(r.m.Anchors) > 0 {
		data.Rectified = r.itemMap("items-rectified", "Rectified", d.Map.X, d.Map.Y).HTML()
		if len(d.Map.BeforeX) > 0 && !math.IsNaN(d.Map.BeforeX[0]) {
			data.Before = r.itemMap("items-counted", "As counted, before the rectification", d.Map.BeforeX, d.Map.BeforeY).HTML()
		}
	}
	return page.Render(templates.Lookup("maps"), data), nil
}

// topicMap lays topics out by classical scaling (Torgerson, Psychometrika 17, 1952) of the distances √(2 − 2s), where s
// is how alike they are.
func (r *report) topicMap() *page.Scatter {
	k, s, x, y := r.m.Topics(), r.similar, r.x, r.y
	chart := &page.Scatter{Chart: page.Chart{ID: "topic-map", Title: "Map of topics",
		About: fmt.Sprintf("A map of %d topics as circles. Topics that share items or documents lie near each other; the "+
			"area of a circle is the topic's share. The table lists the places, and the nearest topic of each.", k),
		Note: fmt.Sprintf("Near: topics that share items (B) or documents (A). Area: share. Lines join pairs of which "+
			"each is most like the other. Two dimensions show %s of what distinguishes the topics: the paler a circle, the "+
			"less its place says. A circle leads to its topic.", page.Share(r.kept)),
		Behind: page.Table{Caption: "Places of topics",
			Columns: columns("Topic", "#Share", "#x", "#y", "Most like", "#How alike|from 0 to 1",
				"#Stress|0 where all distances are as they should be")}}}
	most := r.m.Shares[r.order[0]]
	drawn := r.order[:min(k, r.detail.figures)]
	words := 2
	if len(drawn) > 40 {
		words = 1
	}
	at := make(map[int]int, len(drawn))
	for n, topic := range drawn {
		at[topic] = n
		chart.Points = append(chart.Points, page.Point{X: x[topic], Y: y[topic], Shape: page.Circle, Hue: r.hues[topic],
			Size: math.Sqrt(r.m.Shares[topic]/most) / math.Max(1, math.Sqrt(float64(k)/60)),
			Name: r.short(topic, words), Tip: r.label(topic) + ", " + page.Share(r.m.Shares[topic]),
			Fade: min(int(5*r.stress(topic)), 3), Href: r.place(topic)})
	}
	for n, topic := range drawn {
		like := nearest(s, k, topic)
		if to, known := at[like]; known && to < n && nearest(s, k, like) == topic {
			chart.Links = append(chart.Links, [2]int{n, to})
		}
		chart.Behind.Add(r.topicCell(topic), page.Percent(r.m.Shares[topic]), page.Value(x[topic]), page.Value(y[topic]),
			r.topicCell(like), page.Value(s[topic*k+like]), page.Value(r.stress(topic)))
	}
	return chart
}

// stress returns how far the distances of a topic on the map are from √(2 − 2s): the sum of the squared differences by
// that of the squares (Kruskal, Psychometrika 29, 1964).
func (r *report) stress(topic int) float64 {
	off, all := 0.0, 0.0
	for other, like := range r.similar[topic*r.m.Topics():][:r.m.Topics()] {
		wanted := math.Sqrt(max(2-2*like, 0))
		drawn := math.Hypot(r.x[other]-r.x[topic], r.y[other]-r.y[topic])
		off += (drawn - wanted) * (drawn - wanted)
		all += wanted * wanted
	}
	return off / max(all, math.SmallestNonzeroFloat64)
}

// nearest returns the other topic that is most like a topic.
func nearest(s []float64, k, topic int) int {
	like := -1
	for other := range k {
		if other != topic && (like < 0 || s[topic*k+other] > s[topic*k+like]) {
			like = other
		}
	}
	return like
}

// outside is how far from the middle, where anchors have the distance 1, an item is still drawn.
const outside = 1.5

// itemMap shows items among the anchors.
func (r *report) itemMap(id, title string, x, y []float64) *page.Scatter {
	m := r.m
	items, anchors := m.Diagnostics.Map.Items, len(m.Anchors)
	corners := make([][2]float64, anchors)
	for k := range anchors {
		corners[k] = [2]float64{x[k], y[k]}
	}
	hull := page.Hull(corners)
	chart := &page.Scatter{Chart: page.Chart{ID: id, Title: title,
		Behind: page.Table{Columns: columns("Anchor", "Topic", "#x", "#y")}}, Hull: hull, Reach: outside, Width: 540,
		Height: 440}
	for k := range anchors {
		name := m.Name(items[k])
		chart.Points = append(chart.Points, page.Point{X: x[k], Y: y[k], Shape: page.Diamond, Size: m.Shares[k], Name: name,
			Tip: name + ": " + r.label(k)})
		if k < 200 {
			chart.Behind.Add(page.Named(name), r.topicCell(k), page.Value(x[k]), page.Value(y[k]))
		}
	}
	drawn, out, left := 0, 0, 0
	for n := anchors; n < len(items) && drawn+left < r.detail.dots; n++ {
		distance := math.Hypot(x[n], y[n])
		if distance > 1 { // about: the polygon lies within the circle
			out++
		}
		if distance > outside {
			left++
			continue
		}
		drawn++
		chart.Points = append(chart.Points, page.Point{X: x[n], Y: y[n], Hue: r.hues[int(m.TopTopic(items[n]))],
			Name: m.Name(items[n])})
	}
	chart.Note = fmt.Sprintf("◆ anchors, ● the %s most frequent items, of which %s lie outside of the circle.",
		page.Count(int64(drawn+left)), page.Count(int64(out)))
	if left > 0 {
		chart.Note += fmt.Sprintf(" %s lie too far outside to be drawn.", page.Count(int64(left)))
	}
	chart.About = fmt.Sprintf("A map of %d anchors on a circle and of %d other items, of which %d lie outside of the "+
		"circle. The table lists the anchors.", anchors, drawn+left, out)
	chart.Behind.Caption = "Places of the anchors"
	if anchors > 200 {
		chart.Behind.Caption = "Places of the first 200 anchors; map.parquet has all"
	}
	return chart
}

// mappedItems are how many items of the map are drawn, as many as fit.
var mappedItems = []int{30_000, 10_000, 3000}

// openMap reads the map of the model, if it has one.
func (r *report) openMap() (err error) {
	if r.all, err = itemmap.Open(r.ctx, r.m); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// places shows the anchors and the items in the most documents where the map has them.
func (r *report) places() (template.HTML, error) {
	if r.all == nil {
		return "", nil
	}
	m, n := r.m, len(r.all.Items)
	drawn := min(n, r.mapped)
	chart := &page.Scatter{Chart: page.Chart{ID: "all-items", Title: "All items",
		About: fmt.Sprintf("A map of %d items as dots, in the colours of their main topics. The table lists where the "+
			"anchors are.", drawn),
		Note: fmt.Sprintf("● %s of %s items, those in the most documents; without colour if little is known of them. "+
			"◆ anchors, with their topics.", page.Count(int64(drawn)), page.Count(int64(n))),
		Behind: page.Table{Caption: "Places of anchors", Columns: columns("Anchor", "Topic", "#x", "#y")}},
		Width: 1040, Height: 900}
	anchors := make(map[int32]int, len(m.Anchors))
	for k, i := range m.Anchors {
		anchors[int32(i)] = k
	}
	for j, i := range r.all.Items {
		item, top := int(i), int(m.TopTopic(int(i)))
		point := page.Point{X: float64(r.all.X[j]), Y: float64(r.all.Y[j]), Hue: r.hues[top], Name: m.Name(item)}
		if k, is := anchors[i]; is {
			point.Shape, point.Size, point.Name = page.Diamond, m.Shares[k], r.short(k, 1)
			point.Tip = m.Name(item) + ": " + r.label(k)
			chart.Behind.Add(page.Named(m.Name(item)), r.topicCell(k), page.Value(point.X), page.Value(point.Y))
		} else if m.Uncertain(item) {
			point.Hue = 0
		}
		if j < drawn || point.Shape == page.Diamond {
			chart.Points = append(chart.Points, point)
		}
	}
	return "<p>Items that occur with the same other items lie near each other. Distances between regions mean little: " +
		"topics that are far apart here may share items.</p>" + chart.HTML(), nil
}
