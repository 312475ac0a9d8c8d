// This file shows the leading items.

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"anchorage/internal/page"
)

func (r *report) items() (template.HTML, error) {
	m := r.m
	chosen := r.leading()
	t := page.Table{ID: "item-table", Caption: fmt.Sprintf("%s of %s items; items.parquet has all",
		page.Count(int64(len(chosen))), page.Count(int64(m.Vocabulary.Len()))),
		Sort: true, Search: true, Columns: columns("Item", "#Documents|that hold the item", "#p(item)", "Main topic",
			"#Share in it|p(topic | item)",
			"#Reliability|the share of the item's mixture that comes from its own row")}
	if len(chosen) == m.Vocabulary.Len() {
		t.Caption = fmt.Sprintf("All %s items", page.Count(int64(len(chosen))))
	}
	for _, i := range chosen {
		top := int(m.TopTopic(i))
		t.Add(page.Named(m.Name(i)), page.Whole(m.DocumentFrequency[i]), page.Percent(m.Probability[i]),
			r.topicCell(top), page.Percent(m.Mixtures.Row(i)[top]),
			page.Percent(m.ReliabilityOf(i)))
	}
	return "<p>Items by which topics are read, anchors, and the most frequent ones.</p>" + t.HTML(), nil
}

// leading returns the items of the table: the first ones of every topic, the anchors, and the most frequent ones, by
// decreasing probability.
func (r *report) leading() []int {
	m := r.m
	taken := make(map[int]bool)
	var items []int
	take := func(i int) {
		if !taken[i] && len(items) < r.detail.items {
			taken[i] = true
			items = append(items, i)
		}
	}
	for _, i := range m.Anchors {
		take(i)
	}
	for rank := range 20 {
		for _, k := range r.order {
			if rank < len(m.Prominent[k]) {
				take(m.Prominent[k][rank].Item)
			}
		}
	}
	for _, i := range r.frequent {
		take(i)
	}
	slices.SortFunc(items,
		func(a, b int) int { return cmp.Or(cmp.Compare(m.Probability[b], m.Probability[a]), cmp.Compare(a, b)) })
	return items
}
