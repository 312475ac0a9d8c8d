// This file makes the cover, the verdict and the topics as areas, and the colours that topics have on the whole page,
// and draws single pictures of a report for other pages.

package report

import (
	"context"
	"html/template"
	"math"
	"slices"
	"strings"

	"anchorage/internal/page"
	"anchorage/model"
)

// mostAreas is how many topics the picture has.
const mostAreas = 80

func (r *report) cover() (template.HTML, error) {
	return page.Render(templates.Lookup("cover"), struct {
		Verdict string
		Picture template.HTML
	}{r.verdict(), r.areas(min(mostAreas, r.detail.cards), r.place)}), nil
}

// areas shows the topics with the greatest shares, which lead to their places.
func (r *report) areas(most int, place func(k int) string) template.HTML {
	t := page.Treemap{Label: "The topics as areas by their shares"}
	rest, drawn := 0.0, min(len(r.order), most)
	for at, k := range r.order {
		if at >= drawn {
			rest += r.m.Shares[k]
			continue
		}
		t.Areas = append(t.Areas, page.Area{Names: strings.Split(r.m.TopicName(k), " · "), Value: r.m.Shares[k],
			Text: page.Share(r.m.Shares[k]), Href: place(k), Hue: r.hues[k]})
	}
	if drawn < len(r.order) {
		t.Areas = append(t.Areas, page.Area{Names: []string{page.Count(int64(len(r.order)-drawn)) + " smaller topics"},
			Value: rest, Text: page.Share(rest)})
	}
	return t.HTML()
}

// hued returns a hue of each topic: it cuts the order of the leaves of average linkage into page.Hues stretches, so
// that the sum of the squared distances 2 − 2s within them, each divided by the stretch's length, is least.
func hued(order []int, similar []float64, k int) []int {
	hues := slices.Repeat([]int{1}, k)
	groups := min(page.Hues, max(1, len(order)/2))
	n := len(order)
	best, cut := make([][]float64, groups+1), make([][]int, groups+1)
	for g := range best {
		best[g], cut[g] = make([]float64, n+1), make([]int, n+1)
		for end := range best[g] {
			best[g][end] = math.Inf(1)
		}
	}
	best[0][0] = 0
	for end := 1; end <= n; end++ {
		inner := 0.0
		for first := end - 1; first >= 0; first-- {
			for other := first + 1; other < end; other++ {
				inner += 2 - 2*similar[order[first]*k+order[other]]
			}
			for g := 1; g <= groups; g++ {
				if v := best[g-1][first] + inner/float64(end-first); v < best[g][end] {
					best[g][end], cut[g][end] = v, first
				}
			}
		}
	}
	for g, end := groups, n; g > 0; g, end = g-1, cut[g][end] {
		for _, topic := range order[cut[g][end]:end] {
			hues[topic] = g
		}
	}
	return hues
}

// pictures are those that other pages show, by their names.
var pictures = map[string]func(*report) (template.HTML, error){"levels": (*report).levels, "drift": (*report).drifted,
	"trends": (*report).trends,
	"topics": func(r *report) (template.HTML, error) { return r.areas(mostAreas, r.place), nil },
	"map": func(r *report) (template.HTML, error) {
		if r.x == nil {
			return "", nil
		}
		return r.topicMap().HTML(), nil
	}}

// Picture returns a picture of a report as a part of a page: topics, map, levels, drift or trends. It is empty if the
// model has nothing to show there. Links lead to #topic-K, the place of a topic in the model. Errors are as in Write.
func Picture(ctx context.Context, name string, m *model.Model, opts Options) (template.HTML, error) {
	r, err := prepared(ctx, m, opts)
	if err != nil {
		return "", err
	}
	r.detail = details[0]
	return pictures[name](r)
}

// Areas returns the topics of a model with the greatest shares as areas, without links.
func Areas(ctx context.Context, m *model.Model, most, workers int) (template.HTML, error) {
	r := newReport(ctx, m, Options{Workers: workers})
	err := r.colour()
	return r.areas(most, func(int) string { return "" }), err
}
