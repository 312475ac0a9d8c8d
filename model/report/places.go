// This file shows the map of all items, if the model has one.

package report

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"

	"anchorage/internal/page"
	"anchorage/model/itemmap"
)

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
