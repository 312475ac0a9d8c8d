// This file makes tree maps: areas in proportion to amounts, with names that never leave their areas.

package page

import (
	"cmp"
	"html/template"
	"math"
	"slices"
)

// Treemap is a picture of amounts as areas (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000).
type Treemap struct {
	Label string // what it shows, for readers who do not see it
	Areas []Area // those of a hue are together
}

// HTML returns the tree map, once for each form.
func (t *Treemap) HTML() template.HTML { return Render(formsTemplate, t.forms()) }

func (t *Treemap) forms() (list []form) {
	groups := make([][]Area, Hues+1)
	role := "img"
	for _, a := range t.Areas {
		if a.Href != "" {
			role = "group"
		}
		if a.Value > 0 {
			groups[a.Hue] = append(groups[a.Hue], a)
		}
	}
	sum := func(group []Area) (all float64) {
		for _, a := range group {
			all += a.Value
		}
		return all
	}
	slices.SortStableFunc(groups, func(a, b []Area) int { return cmp.Compare(sum(b), sum(a)) })
	groups = slices.DeleteFunc(groups, func(g []Area) bool { return len(g) == 0 })
	var sums []float64
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b Area) int { return cmp.Compare(b.Value, a.Value) })
		sums = append(sums, sum(group))
	}
	for _, f := range widths {
		drawn := form{Name: f.name, Label: t.Label, Role: role, Wide: at(f.wide), Tall: at(f.tall)}
		for g, outer := range squarify(sums, box{0, 0, f.wide, f.tall}) {
			var values []float64
			for _, a := range groups[g] {
				values = append(values, a.Value)
			}
			for n, inner := range squarify(values, outer) {
				drawn.Areas = append(drawn.Areas, groups[g][n].draw(inner))
			}
		}
		list = append(list, drawn)
	}
	return list
}

// squarify cuts a rectangle into areas in proportion to values above 0, which decrease, each about as wide as tall.
func squarify(values []float64, b box) (list []box) {
	for len(values) > 0 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		wide, tall := b.right-b.left, b.bottom-b.top
		scale, side := wide*tall/sum, min(wide, tall)
		n, row, worst := 0, 0.0, math.Inf(1)
		for n < len(values) {
			s := row + values[n]*scale
			w := max(side*side*values[0]*scale/(s*s), s*s/(side*side*values[n]*scale))
			if n > 0 && !(w <= worst) {
				break
			}
			n, row, worst = n+1, s, w
		}
		deep, along := row/side, 0.0
		for _, v := range values[:n] {
			long := v * scale / deep
			if wide >= tall {
				list = append(list, box{b.left, b.top + along, b.left + deep, b.top + along + long})
			} else {
				list = append(list, box{b.left + along, b.top, b.left + along + long, b.top + deep})
			}
			along += long
		}
		if wide >= tall {
			b.left += deep
		} else {
			b.top += deep
		}
		values = values[n:]
	}
	return list
}
