// This file shows the leading items, and makes the panel in which a reader asks for the items of one topic, from its
// most frequent to its most peculiar ones.

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"

	"anchorage/internal/page"
	"anchorage/internal/toplist"
)

func (r *report) items() (template.HTML, error) {
	m := r.m
	chosen := r.leading()
	t := page.Table{ID: "item-table", Caption: fmt.Sprintf("%s of %s items; items.parquet has all",
		page.Count(int64(len(chosen))), page.Count(int64(m.Vocabulary.Len()))),
		Sort: true, Search: true, Columns: columns("Item", "#Documents|that hold the item", "#p(item)", "Main topic",
			"#Share in it|p(topic | item)", "#Reliability|the share of the item's mixture that comes from its own row")}
	if len(chosen) == m.Vocabulary.Len() {
		t.Caption = fmt.Sprintf("All %s items", page.Count(int64(len(chosen))))
	}
	for _, i := range chosen {
		top := int(m.TopTopic(i))
		t.Add(page.Named(m.Name(i)), page.Whole(m.DocumentFrequency[i]), page.Percent(m.Probability[i]),
			r.topicCell(top), page.Percent(m.Mixtures.Row(i)[top]), page.Percent(m.ReliabilityOf(i)))
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

const (
	panelItems  = 20   // that are shown at a time
	panelTopics = 200  // with more, a page would have no room
	panelShare  = 1e-4 // of the documents in which an item must be
)

// panelLambdas are the weights λ whose first items the page knows. Between them the order changes little.
var panelLambdas = []float64{0, 0.2, 0.4, 0.6, 0.8, 1}

// panelTopic is a topic of the panel: its items, as places in the names, and p(item | topic) of each.
type panelTopic struct {
	ID    string    `json:"id"`
	Label string    `json:"-"`
	Hue   int       `json:"hue"`
	Share float64   `json:"share"`
	Items []int     `json:"items"`
	Of    []float64 `json:"of"`
}

// panelData is what the page knows of topics and items: p(item) of each name.
type panelData struct {
	Least  int64        `json:"-"`
	Shown  int          `json:"shown"`
	Names  []string     `json:"names"`
	All    []float64    `json:"all"`
	Topics []panelTopic `json:"topics"`
}

// panel returns the panel of the topics that have a card; nothing if those are too many.
func (r *report) panel() template.HTML {
	m, count := r.m, min(len(r.order), r.detail.cards)
	if count > panelTopics {
		return ""
	}
	d := panelData{Least: int64(math.Ceil(max(5, panelShare*float64(m.Manifest.Corpus.Documents)))), Shown: panelItems}
	var items []int
	for i, documents := range m.DocumentFrequency {
		if documents >= d.Least && m.Probability[i] > 0 {
			items = append(items, i)
		}
	}
	found := make([]map[int]bool, m.Topics())
	for k := range found {
		found[k] = make(map[int]bool)
	}
	for _, lambda := range panelLambdas {
		best := toplist.Columns(len(items), m.Topics(), panelItems, r.opts.Workers, func(dst []float64, n int) {
			m.ItemRow(dst, items[n])
			by := math.Pow(m.Probability[items[n]], 1-lambda)
			for k := range dst {
				dst[k] /= by
			}
		})
		for k, entries := range best {
			for _, e := range entries {
				found[k][items[e.Item]] = true
			}
		}
	}
	places, row := make(map[int]int), make([]float64, m.Topics())
	for _, k := range r.order[:count] {
		t := panelTopic{ID: r.place(k), Label: r.label(k), Hue: r.hues[k], Share: rounded(m.Shares[k])}
		for _, i := range slices.SortedFunc(maps.Keys(found[k]), cmp.Compare) {
			place, known := places[i]
			if !known {
				place = len(d.Names)
				places[i] = place
				d.Names, d.All = append(d.Names, page.Name(m.Name(i))), append(d.All, rounded(m.Probability[i]))
			}
			m.ItemRow(row, i)
			t.Items, t.Of = append(t.Items, place), append(t.Of, rounded(row[k]))
		}
		d.Topics = append(d.Topics, t)
	}
	return page.Render(templates.Lookup("panel"), d)
}

// JSON returns what the script reads. The encoder escapes what HTML would take for more than text.
func (d panelData) JSON() (template.HTML, error) {
	text, err := json.Marshal(d)
	return template.HTML(text), err
}

// rounded returns a value with four digits, which take less room.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	digits := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*digits) / digits
}
