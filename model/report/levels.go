// This file shows the levels of a model: coarse topics, and beside each the finer ones that belong mostly to it.

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/page"
	"anchorage/model"
)

// level is what is shown of the topics of a level.
type level struct {
	of        *model.Level
	shares    []float64
	prominent [][]model.Listed
	name      func(k int) string
	href      func(k int) string
}

// levels shows the levels as an icicle and as a table; nothing for a model of one level.
func (r *report) levels() (template.HTML, error) {
	if len(r.m.Levels) < 2 {
		return "", nil
	}
	levels := r.levelsOf
	t := page.Table{Caption: "Topics and those to which they belong",
		Columns: columns("Topic", "#Share", "Belongs to", "#How much of it")}
	var add func(at, parent int)
	add = func(at, parent int) {
		l := &levels[at]
		for _, k := range l.children(parent) {
			if len(t.Rows) >= r.detail.figures {
				t.Caption = "The first topics and those to which they belong; levels.parquet has all"
				return
			}
			above, of := "–", page.Text("–")
			if parent >= 0 {
				_, in := l.of.Parent(k)
				above, of = levels[at-1].name(parent), page.Percent(in)
			}
			t.Add(page.Cell{Text: l.name(k), Href: l.href(k)}, page.Percent(l.shares[k]), page.Cell{Text: above}, of)
			if at+1 < len(levels) {
				add(at+1, k)
			}
		}
	}
	add(0, -1)
	return r.levelFlow(levels, t), nil
}

// children returns the topics of which most belongs to a topic of the level above, those with the greatest shares
// first; all for −1.
func (l *level) children(parent int) (topics []int) {
	for k := range l.of.Topics {
		if above, _ := l.of.Parent(k); above == parent {
			topics = append(topics, k)
		}
	}
	slices.SortStableFunc(topics, func(a, b int) int { return cmp.Compare(l.shares[b], l.shares[a]) })
	return topics
}

const (
	mostStretches = 120  // of a column of a flow; levels of more topics are left out
	leastBand     = 0.05 // of a topic that a band shows
)

// levelFlow shows the levels as an icicle: a column of topics for each, and beside every topic those of the next level
// that belong mostly to it.
func (r *report) levelFlow(levels []level, behind page.Table) template.HTML {
	flow := page.Flow{Nested: true, Chart: page.Chart{ID: "levels-flow", Title: "From coarse topics to fine ones",
		Behind: behind, About: fmt.Sprintf("Columns of topics, of %d levels. Beside each topic are those of the next level "+
			"that belong to it.", len(levels)),
		Note: fmt.Sprintf("Height: share of all tokens. A topic is beside the one to which most of it belongs; a thin line "+
			"joins it with others that have at least %s of it.", page.Share(leastBand))}}
	parents := []int{-1}
	for at := range levels {
		l := &levels[at]
		if l.of.Topics > mostStretches {
			break
		}
		var order []int // of the column's topics, −1 for the room of a topic to which none belongs
		var column []page.Area
		var bands []page.Band
		for from, parent := range parents {
			children := []int{-1}
			if list := l.children(parent); parent >= 0 && len(list) > 0 || at == 0 {
				children = list
			}
			for _, k := range children {
				bands = append(bands, page.Band{From: from, To: len(column), Value: 1})
				order = append(order, k)
				if k < 0 {
					column = append(column, page.Area{Value: 1e-9})
					continue
				}
				area := page.Area{Value: l.shares[k], Text: page.Share(l.shares[k]), Href: l.href(k),
					Names: strings.Split(r.gistOf(l.prominent[k], 3), ", ")}
				if at == len(levels)-1 {
					area.Names, area.Hue = strings.Split(r.m.TopicName(k), " · "), r.hues[k]
				}
				column = append(column, area)
				if main, in := l.of.Parent(k); main >= 0 {
					bands[len(bands)-1].Value = in * l.shares[k]
					bands = append(bands, l.threads(parents, k, len(column)-1)...)
				}
			}
		}
		if at > 0 {
			flow.Bands = append(flow.Bands, bands)
		}
		flow.Columns = append(flow.Columns, column)
		flow.Heads = append(flow.Heads, fmt.Sprintf("%d topics", l.of.Topics))
		parents = order
	}
	if len(flow.Columns) < 2 {
		return behind.HTML()
	}
	colourAbove(flow.Columns, flow.Bands)
	return flow.HTML()
}

// threads are bands from the other topics of the level above that have a part of a topic, which is at a place.
func (l *level) threads(parents []int, k, place int) (list []page.Band) {
	main, _ := l.of.Parent(k)
	for from, parent := range parents {
		if parent < 0 || parent == main {
			continue
		}
		if part := l.of.Shares(k)[parent]; part >= leastBand {
			list = append(list, page.Band{From: from, To: place, Value: part * l.shares[k], Thin: true})
		}
	}
	return list
}

// colourAbove gives every coarser topic the colour that most of what belongs to it has.
func colourAbove(columns [][]page.Area, bands [][]page.Band) {
	for c := len(bands) - 1; c >= 0; c-- {
		of := make([][page.Hues + 1]float64, len(columns[c]))
		for _, b := range bands[c] {
			if to := &columns[c+1][b.To]; !b.Thin && to.Names != nil {
				of[b.From][to.Hue] += b.Value
			}
		}
		for n := range of {
			columns[c][n].Hue = floats.MaxIdx(of[n][:])
		}
	}
}

// loadLevels sets what is shown of the levels: a model that was fitted knows it, and of one that was loaded each level
// is loaded, once for all details.
func (r *report) loadLevels() error {
	r.levelsOf = make([]level, len(r.m.Levels))
	for at := range r.m.Levels {
		of, l := &r.m.Levels[at], &r.levelsOf[at]
		*l = level{of, of.TopicShares, of.Prominent, func(k int) string {
			return fmt.Sprintf("%d of %d: %s", k, of.Topics, r.gistOf(l.prominent[k], 3))
		}, func(int) string { return "" }}
		if at == len(r.m.Levels)-1 {
			*l = level{of, r.m.Shares, r.m.Prominent, r.label, r.place}
		} else if of.Prominent == nil {
			loaded, err := r.m.Level(r.ctx, of.Topics)
			if err != nil {
				return err
			}
			l.shares, l.prominent = loaded.Shares, loaded.Prominent
		}
	}
	return nil
}
