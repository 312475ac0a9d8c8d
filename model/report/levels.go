// This file shows the levels of a model as a tree: coarse topics, and below each the finer ones that belong mostly to
// it.

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"anchorage/internal/page"
	"anchorage/model"
)

// branch is a topic of the tree. In is its share in the topic above it; Href is empty except for the finest level.
type branch struct {
	Label, Href, Share, In, Gist string
	Open                         bool
	Below                        []branch
}

var levelsTemplate = template.Must(template.New("levels").Parse(`{{.Flow}}
<h3>As a tree</h3><p>{{.About}}</p>
<div class="controls" hidden><button type="button" data-open="tree" data-to="open">Open all topics</button>
<button type="button" data-open="tree" data-to="close">Close all topics</button></div>
<div id="tree">{{template "branches" .Tree}}</div>
{{define "branches"}}<ul class="tree">{{range .}}
<li>{{if .Below}}<details{{if .Open}} open{{end}}><summary>{{template "topic" .}}</summary>
{{template "branches" .Below}}</details>{{else}}{{template "topic" .}}{{end}}</li>{{end}}</ul>{{end}}
{{define "topic"}}{{if .Href}}<a href="#{{.Href}}">{{.Label}}</a>{{else}}<b>{{.Label}}</b>{{end}}
<span class="muted">{{.Share}}{{with .In}}, {{.}} of it here{{end}}</span> <bdi>{{.Gist}}</bdi>{{end}}`))

// level is what the tree shows of the topics of a level.
type level struct {
	of        *model.Level
	shares    []float64
	prominent [][]model.Listed
	names     func(k int) string
	href      func(k int) string
}

// levels shows the tree; nothing for a model of one level.
func (r *report) levels() (template.HTML, error) {
	if len(r.m.Levels) < 2 {
		return "", nil
	}
	levels := make([]level, len(r.m.Levels))
	for at := range r.m.Levels {
		l := &levels[at]
		l.of = &r.m.Levels[at]
		l.shares, l.prominent = r.coarser[at].shares, r.coarser[at].prominent
		l.names, l.href = func(k int) string { return fmt.Sprintf("Topic %d of %d", k, l.of.Topics) },
			func(int) string { return "" }
		if at == len(levels)-1 {
			l.shares, l.prominent, l.names, l.href = r.m.Shares, r.m.Prominent, r.label, r.place
		}
	}
	data := struct {
		Flow  template.HTML
		About string
		Tree  []branch
	}{Flow: r.levelFlow(levels),
		About: "Below each topic are the topics of the next level that belong mostly to it, with how much of them does. " +
			"levels.parquet has all shares, and the folder levels a model of each coarser level."}
	data.Tree = r.branches(levels, 0, -1)
	return page.Render(levelsTemplate, data), nil
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

// levelFlow shows the levels as columns, and which part of each topic belongs to which of the level above.
func (r *report) levelFlow(levels []level) template.HTML {
	flow := page.Flow{Chart: page.Chart{ID: "levels-flow", Title: "From coarse topics to fine ones",
		About: fmt.Sprintf("Columns of topics, of %d levels, with bands from each topic to those below it. The tree has "+
			"the same.", len(levels)),
		Note: fmt.Sprintf("Height: share of all tokens. Bands: at least %s of a topic belongs to the one at the left; "+
			"thin ones are not its main parent.", page.Share(leastBand))}}
	parents := []int{-1}
	for at := range levels {
		l := &levels[at]
		if l.of.Topics > mostStretches {
			break
		}
		var order []int
		var column []page.Area
		for _, parent := range parents {
			for _, k := range l.children(parent) {
				order = append(order, k)
				area := page.Area{Value: l.shares[k], Text: page.Share(l.shares[k]), Href: l.href(k)}
				if at == len(levels)-1 {
					area.Names, area.Hue = []string{r.m.TopicName(k)}, r.hues[k]
				} else {
					area.Names = strings.Split(r.gistOf(l.prominent[k], 3), ", ")
				}
				column = append(column, area)
			}
		}
		if at > 0 {
			var bands []page.Band
			for from, parent := range parents {
				for to, k := range order {
					main, _ := l.of.Parent(k)
					if part := l.of.Shares(k)[parent]; part >= leastBand || main == parent {
						bands = append(bands, page.Band{From: from, To: to, Value: part * l.shares[k], Pale: main != parent})
					}
				}
			}
			flow.Bands = append(flow.Bands, bands)
		}
		flow.Columns = append(flow.Columns, column)
		flow.Heads = append(flow.Heads, fmt.Sprintf("%d topics", l.of.Topics))
		parents = order
	}
	if len(flow.Columns) < 2 {
		return ""
	}
	return flow.HTML()
}

// loadLevels sets what the tree needs of the coarser levels: a model that was fitted knows it, and of one that was
// loaded each level is loaded, once for all details.
func (r *report) loadLevels() error {
	r.coarser = make([]level, len(r.m.Levels))
	for at := range r.m.Levels {
		of := &r.m.Levels[at]
		r.coarser[at] = level{shares: of.TopicShares, prominent: of.Prominent}
		if at == len(r.m.Levels)-1 || of.Prominent != nil {
			continue
		}
		loaded, err := r.m.Level(r.ctx, of.Topics)
		if err != nil {
			return err
		}
		r.coarser[at] = level{shares: loaded.Shares, prominent: loaded.Prominent}
	}
	return nil
}

// branches returns the topics of a level, those with the greatest shares first, of which most belongs to a topic of the
// level above; all for −1.
func (r *report) branches(levels []level, at, parent int) []branch {
	if at == len(levels) {
		return nil
	}
	l := &levels[at]
	var list []branch
	for _, k := range l.children(parent) {
		b := branch{Label: l.names(k), Href: l.href(k), Share: page.Share(l.shares[k]), Gist: r.gistOf(l.prominent[k], 6),
			Open:  at == 0 && l.of.Topics <= open,
			Below: r.branches(levels, at+1, k)}
		if parent >= 0 {
			_, in := l.of.Parent(k)
			b.In = page.Share(in)
		}
		list = append(list, b)
	}
	return list
}
