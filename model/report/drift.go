// This file shows what became of the topics of an earlier model, and how shares changed over time.

package report

import (
	"fmt"
	"html/template"
	"math"
	"time"

	"anchorage/internal/page"
)

func (r *report) drifted() (template.HTML, error) {
	d := r.drift
	if d == nil {
		return "", nil
	}
	t := page.Table{ID: "drift-table", Caption: "Topics then and now", Sort: true,
		Columns: columns("Topic", "What became of it", "Was", "#Distance|Hellinger distance, from 0 to 1", "#Share then",
			"#Share now", "Items")}
	for i := range d.Topics {
		one := &d.Topics[i]
		topic, was, items := page.Text("–"), page.Text("–"), page.Text("–")
		if one.Now >= 0 && one.Now < r.m.Topics() {
			topic, items = r.topicCell(one.Now), page.Cell{Text: r.gist(one.Now, 4), Data: true}
		} else if len(one.Prominent) > 0 {
			items = page.Named(one.Prominent[0])
		}
		if one.Then >= 0 {
			was = page.Text(fmt.Sprintf("topic %d", one.ThenID))
		}
		t.Add(topic, page.Text(string(one.Kind)), was, page.Value(one.Distance), page.Percent(one.ShareThen),
			page.Percent(one.ShareNow), items)
	}
	return template.HTML("<p>"+template.HTMLEscapeString(d.Summary.String())+".</p>") + t.HTML(), nil
}

// movers is how many topics the chart of trends has: as many as lines can be told apart.
const movers = 6

func (r *report) trends() (template.HTML, error) {
	t := r.opts.Trend
	if t == nil || len(t.Rows) < 2 || t.Topics != r.m.Topics() {
		return "", nil
	}
	chosen := t.Movers(movers)
	day := func(x float64) string { return time.Unix(int64(x)*86400, 0).UTC().Format(time.DateOnly) }
	first, last := t.Rows[0].Start, t.Rows[len(t.Rows)-1].Start
	chart := page.Lines{Chart: page.Chart{ID: "trend-chart", Title: "Shares of the topics that changed most",
		About: fmt.Sprintf("The shares of %d topics by %s from %s to %s. The table has every value with its 95 %% interval.",
			len(chosen), t.Period, first.Format(time.DateOnly), last.Format(time.DateOnly)),
		Note:   fmt.Sprintf("%s documents by %s.", page.Count(t.Documents), t.Period),
		Behind: page.Table{Caption: "Shares by period", Columns: columns("From", "#Documents")}},
		YName: "share", XText: day, Zero: true}
	for _, k := range chosen {
		line := page.Line{Name: r.gist(k, 1)}
		for _, row := range t.Rows {
			line.X, line.Y = append(line.X, math.Floor(float64(row.Start.Unix())/86400)), append(line.Y, row.Shares[k])
		}
		chart.Lines = append(chart.Lines, line)
		chart.Behind.Columns = append(chart.Behind.Columns, page.Column{Name: r.label(k),
			Numeric: true})
	}
	for i := range t.Rows {
		row := &t.Rows[i]
		cells := []page.Cell{page.Text(row.Start.Format(time.DateOnly)), page.Whole(row.Documents)}
		for _, k := range chosen {
			low, high := row.Interval(k)
			cells = append(cells, page.Text(fmt.Sprintf("%s (%s–%s)", page.Share(row.Shares[k]), page.Share(low),
				page.Share(high))))
		}
		chart.Behind.Rows = append(chart.Behind.Rows, cells)
	}
	return chart.HTML(), nil
}
