// This file shows what became of the topics of an earlier model, and how shares changed over time.

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"anchorage/internal/page"
	"anchorage/model/drift"
)

func (r *report) drifted() (template.HTML, error) {
	d := r.drift
	if d == nil {
		return "", nil
	}
	t := page.Table{ID: "drift-table", Caption: "Topics then and now", Sort: true,
		Columns: columns("Topic", "What became of it", "Was", "#Distance|Hellinger distance, from 0 to 1", "#Share then",
			"#Share now", "Items", "Risen", "Fallen")}
	for _, one := range d.Order() {
		topic, was, items := page.Text("–"), page.Text("–"), page.Text("–")
		if one.Now >= 0 && one.Now < r.m.Topics() {
			topic, items = r.topicCell(one.Now), page.Cell{Text: r.gist(one.Now, 4), Data: true}
		} else if n := len(one.Prominent); n > 0 {
			topic = page.Named(cmp.Or(one.Name, strings.Join(one.Prominent[:min(3, n)], " · ")))
			items = page.Cell{Text: strings.Join(one.Prominent[:min(4, n)], " · "), Data: true}
		}
		if one.Then >= 0 {
			was = page.Text(fmt.Sprintf("topic %d", one.ThenID))
		}
		t.Add(topic, page.Text(one.What()), was, page.Value(one.Distance), page.Percent(one.ShareThen),
			page.Percent(one.ShareNow), items, moved(one.Risen), moved(one.Fallen))
	}
	return template.HTML("<p>"+template.HTMLEscapeString(d.Summary.String())+".</p>") + r.driftFlow() + t.HTML(), nil
}

// moved names the items whose probability changed most.
func moved(list []drift.Item) page.Cell {
	var names []string
	for _, one := range list[:min(len(list), 4)] {
		names = append(names, page.Short(cmp.Or(one.Name, one.Item), 24))
	}
	return page.Cell{Text: strings.Join(names, ", "), Data: true}
}

// driftFlow shows the topics then and now, those that changed most first; nothing if they are too many.
func (r *report) driftFlow() template.HTML {
	topics := r.drift.Order()
	then, now := make(map[int]int), make(map[int]int) // the places of ids
	var before, after []page.Area
	for _, t := range topics {
		if t.Then >= 0 {
			then[t.ThenID] = len(before)
			names := append(slices.Clone(t.Prominent[:min(3, len(t.Prominent))]), fmt.Sprintf("topic %d", t.ThenID))
			before = append(before, page.Area{Names: names[:max(1, len(names)-1)], Value: t.ShareThen,
				Text: page.Share(t.ShareThen)})
		}
		if t.Now >= 0 && t.Now < r.m.Topics() {
			now[t.NowID] = len(after)
			after = append(after, page.Area{Names: strings.Split(r.m.TopicName(t.Now), " · "), Value: t.ShareNow,
				Text: page.Share(t.ShareNow), Href: r.place(t.Now), Hue: r.hues[t.Now]})
		}
		switch {
		case t.Kind == drift.Kept:
		case t.Kind == drift.Split && t.ThenID == t.Whole:
			before[len(before)-1].Note = fmt.Sprintf("splits (topic %d)", t.ThenID)
		case t.Kind == drift.Merged && t.NowID == t.Whole && t.Now < r.m.Topics():
			after[len(after)-1].Note = fmt.Sprintf("merged (topic %d)", t.NowID)
		case t.Then < 0 && t.Now < r.m.Topics():
			last := &after[len(after)-1]
			if last.Note = "part of " + fmt.Sprint(t.Whole); t.Kind == drift.Born {
				last.Note, last.Class = "new", "new"
			}
		case t.Now < 0:
			last := &before[len(before)-1]
			if last.Note = "into " + fmt.Sprint(t.Whole); t.Kind == drift.Died {
				last.Note, last.Class = "died", "gone"
			}
		}
	}
	if len(before) == 0 || len(after) == 0 || max(len(before), len(after)) > mostStretches {
		return ""
	}
	var bands []page.Band
	for _, t := range topics {
		from, of := then[t.ThenID]
		to, in := now[t.NowID]
		value := min(t.ShareThen, t.ShareNow)
		switch {
		case t.Then < 0 && t.Kind == drift.Split:
			from, of = then[t.Whole]
			value = t.ShareNow
		case t.Now < 0 && t.Kind == drift.Merged:
			to, in = now[t.Whole]
			value = t.ShareThen
		case t.Then < 0 || t.Now < 0:
			continue
		}
		if of && in {
			bands = append(bands, page.Band{From: from, To: to, Value: value, Thin: t.Kind == drift.Kept})
			before[from].Hue = cmp.Or(before[from].Hue, after[to].Hue)
		}
	}
	flow := page.Flow{Chart: page.Chart{ID: "drift-flow", Title: "From then to now", About: fmt.Sprintf("Two columns: "+
		"%d topics then and %d now, with bands between those that belong together. The table has the same.", len(before),
		len(after)), Note: "Height: share of all tokens. Topics that split, merged, died or are new come first; thin " +
		"lines join topics that were kept."},
		Columns: [][]page.Area{before, after}, Heads: []string{"then", "now"}, Bands: [][]page.Band{bands}}
	return flow.HTML()
}

// movers is how many topics the picture of trends has.
const movers = 12

func (r *report) trends() (template.HTML, error) {
	t := r.opts.Trend
	if t == nil || len(t.Rows) < 2 || t.Topics != r.m.Topics() {
		return "", nil
	}
	chosen := t.Movers(movers)
	day := func(x float64) string { return time.Unix(int64(x)*86400, 0).UTC().Format(time.DateOnly) }
	first, last := t.Rows[0].Start, t.Rows[len(t.Rows)-1].Start
	chart := page.Multiples{Chart: page.Chart{ID: "trend-chart", Title: "Shares of the topics that changed most",
		About: fmt.Sprintf("The shares of %d topics by %s from %s to %s. The table has every value with its 95 %% interval.",
			len(chosen), t.Period, first.Format(time.DateOnly), last.Format(time.DateOnly)),
		Note: fmt.Sprintf("%s documents by %s. All have the same scale. Bands are 95 %% intervals; lines to periods that "+
			"documents do not fill are dashed.", page.Count(t.Documents), t.Period),
		Behind: page.Table{ID: "trend-table", Caption: "Shares by period", Sort: true, Search: true,
			Columns: columns("Topic", "From", "#Documents", "#Share", "#95 % interval")}},
		XText: day, YText: page.Share}
	chart.First, chart.Last = t.Partial()
	for i := range t.Rows {
		chart.X = append(chart.X, math.Floor(float64(t.Rows[i].Start.Unix())/86400))
	}
	for _, k := range chosen {
		series := page.Series{Name: r.short(k, 3), Href: r.place(k), Hue: r.hues[k]}
		for i := range t.Rows {
			low, high := t.Rows[i].Interval(k)
			series.Y = append(series.Y, t.Rows[i].Shares[k])
			series.Low, series.High = append(series.Low, low), append(series.High, high)
			if len(chart.Behind.Rows) < r.detail.figures {
				chart.Behind.Add(r.topicCell(k), page.Text(t.Rows[i].Start.Format(time.DateOnly)),
					page.Whole(t.Rows[i].Documents), page.Percent(t.Rows[i].Shares[k]),
					page.Text(page.Share(low)+"–"+page.Share(high)))
			}
		}
		chart.Series = append(chart.Series, series)
	}
	return chart.HTML(), nil
}
