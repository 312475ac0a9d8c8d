// This file makes the cover: the verdict, and the topics as areas, and the colours that topics have on the whole page.

package report

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"anchorage/internal/page"
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
