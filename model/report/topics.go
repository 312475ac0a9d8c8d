// This file shows the topics: a card for each, and the table of all diagnostics.

package report

import (
	"fmt"
	"html/template"
	"math"

	"anchorage/internal/page"
	"anchorage/metric"
	"anchorage/model"
)

// open is the number of cards up to which all are open at first.
const open = 12

// card is a topic.
type card struct {
	ID, Label, Share, Gist    string
	Open                      bool
	Hue                       int
	Prominent, Characteristic template.HTML
	Anchor                    string
	Evidence                  []string
	Tags                      []fact
	Examples                  []shown
}

// shown is an example document.
type shown struct{ Share, Place, Text string }

func (r *report) topics() (template.HTML, error) {
	data := struct {
		About, Left string
		Cards       []card
		Figures     *page.Table
		Panel       template.HTML
	}{Figures: r.figures(), Panel: r.panel()}
	cards := min(len(r.order), r.detail.cards)
	data.About = "Topics are in the order of their shares. Prominent items are those by which a topic is read, with " +
		"p(item | topic); characteristic ones occur most beside its anchor."
	if r.m.Characteristic == nil {
		data.About = "Topics are in the order of their shares. Prominent items are those by which a topic is read, with " +
			"p(item | topic)."
	}
	switch {
	case cards < len(r.order):
		data.Left = fmt.Sprintf("To keep the page small, the %s topics with the greatest shares have a card, with %d items "+
			"of each kind; topics.parquet has all of them.", page.Count(int64(cards)), r.detail.listed)
	case r.detail.listed < model.TopItems:
		data.Left = fmt.Sprintf("To keep the page small, cards list %d items of each kind and %d example documents; "+
			"topics.parquet and examples.parquet have all.", r.detail.listed, r.detail.examples)
	}
	for at, k := range r.order[:cards] {
		c := r.card(k)
		c.Open = len(r.order) <= open || at < 4
		data.Cards = append(data.Cards, c)
	}
	return page.Render(templates.Lookup("topics"), data), nil
}

// card returns the card of a topic.
func (r *report) card(k int) card {
	m := r.m
	c := card{ID: r.place(k), Label: r.label(k), Share: page.Share(m.Shares[k]), Gist: r.gist(k, 5), Hue: r.hues[k],
		Prominent: r.bars("Prominent items", m.Prominent[k])}
	if m.Characteristic != nil {
		c.Characteristic = r.bars("Characteristic items", m.Characteristic[k])
	}
	if m.Anchors != nil {
		r.evidence(&c, k)
	}
	d := m.Diagnostics
	if d == nil {
		return c
	}
	for _, tag := range []struct {
		name, figure string
		text         func(float64) string
	}{{"coherence (NPMI)", "npmi_10", page.Number}, {"exclusivity", "exclusivity", page.Share},
		{"effective items", "effective_items", page.Number},
		{"from the corpus", "corpus_distance", page.Number},
		{"main topic of", "top_documents", func(v float64) string { return page.Share(v) + " of documents" }}} {
		if v := d.Of(tag.figure)[k]; !math.IsNaN(v) {
			c.Tags = append(c.Tags, fact{tag.name, tag.text(v)})
		}
	}
	for _, x := range d.Examples[k][:min(len(d.Examples[k]), r.detail.examples)] {
		one := shown{Share: page.Share(x.Share), Place: "document " + page.Count(x.Row+1)}
		switch {
		case x.ID != "":
			one.Place = page.Cut(x.ID, 80)
		case x.Shard != "":
			one.Place = page.Name(x.Shard) + ", document " + page.Count(x.Row+1)
		}
		if x.Text != "" {
			one.Text = page.Cut(x.Text, 280)
		}
		c.Examples = append(c.Examples, one)
	}
	return c
}

// evidence says what the anchor of a topic rests on.
func (r *report) evidence(c *card, k int) {
	m := r.m
	i := m.Anchors[k]
	c.Anchor = page.Name(m.Name(i))
	c.Evidence = []string{fmt.Sprintf("in %s documents", page.Count(m.DocumentFrequency[i])),
		fmt.Sprintf("its row rests on %s", page.Number(m.AnchorSampleSizes[k]))}
	if agreement, known := m.Manifest.Certificate.Agreement(k); known {
		c.Evidence = append(c.Evidence, fmt.Sprintf("%s the same by other documents", page.Share(agreement)))
	}
	c.Evidence = append(c.Evidence, fmt.Sprintf("%s ahead of the runner-up", page.Share(m.Margins[k])))
}

// bars lists items of a topic.
func (r *report) bars(label string, list []model.Listed) template.HTML {
	b := page.Bars{Label: label}
	for _, listed := range list[:min(len(list), r.detail.listed)] {
		b.List = append(b.List, page.Bar{Name: r.m.Name(listed.Item), Value: listed.Probability,
			Text: page.Share(listed.Probability)})
	}
	return b.HTML()
}

// figureTexts are how a page writes figures that are no plain numbers.
var figureTexts = map[string]func(float64) string{
	"tokens": func(v float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return page.Count(int64(math.Round(v)))
	},
	"rank_1_documents": page.Share,
	"allocation_count": page.Share,
}

// figures is the table of diagnostics; nil if there are none.
func (r *report) figures() *page.Table {
	d := r.m.Diagnostics
	if d == nil {
		return nil
	}
	t := &page.Table{ID: "diagnostics", Caption: "Diagnostics", Sort: true, Columns: columns("Topic", "#Share")}
	var figures []*metric.Definition
	for _, f := range metric.Defined(metric.OfTopic) {
		if f.Title != "" {
			figures = append(figures, f)
			t.Columns = append(t.Columns, page.Column{Name: f.Title, Note: f.Note, Numeric: true})
		}
	}
	topics := r.order[:min(len(r.order), r.detail.figures)]
	if len(topics) < len(r.order) {
		t.Caption = fmt.Sprintf("Diagnostics of the %s topics with the greatest shares; diagnostics.parquet has all",
			page.Count(int64(len(topics))))
	}
	for _, k := range topics {
		row := []page.Cell{r.topicCell(k), page.Percent(r.m.Shares[k])}
		for _, f := range figures {
			text := figureTexts[f.Name]
			if text == nil {
				text = page.Number
			}
			row = append(row, page.Text(text(d.Of(f.Name)[k])))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
