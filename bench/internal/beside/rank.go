// This file ranks systems by a figure, and says why others are better than ours.

package beside

import (
	"math"
	"slices"
	"strings"
)

// standing is a system's figure.
type standing struct {
	system string
	value  float64 // of the run in the middle
}

// text writes the system with its figure.
func (s standing) text(f figure) string { return s.system + " (" + number(f.format, s.value) + ")" }

// ranking is the order of systems by a figure.
type ranking struct {
	order []standing // the best first; those without the figure are not there
	own   float64    // of ours; NaN without one
	side  int        // as figure.better
}

// rank orders groups that differ in the system alone. A figure of which neither more nor less is better has no order.
func rank(groups []group, f figure) ranking {
	r := ranking{own: math.NaN(), side: f.better}
	if f.better == 0 {
		return r
	}
	for i := range groups {
		g := &groups[i]
		if v := g.spreadOf(f).middle; g.problem() == nil && !math.IsNaN(v) {
			r.order = append(r.order, standing{g.run.System, v})
			if g.run.System == Ours {
				r.own = v
			}
		}
	}
	slices.SortStableFunc(r.order, func(a, b standing) int {
		switch sign := float64(f.better) * (b.value - a.value); {
		case sign > 0:
			return 1
		case sign < 0:
			return -1
		}
		return 0
	})
	return r
}

// better returns other programs whose figure is better than ours, the best first. Other settings of ours are none.
func (r ranking) better() (list []standing) {
	for _, s := range r.order {
		if float64(r.side)*(s.value-r.own) > 0 && !strings.HasPrefix(s.system, Ours) {
			list = append(list, s)
		}
	}
	return list
}
