// This file writes rows as mixtures of corners that can be moved one by one: only the rows whose mixture changes are
// solved again.

package anchor

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
)

// Hull is the convex hull of some corners, with the mixture b of them that is nearest to every row: argmin ‖X_i − Σ_k
// b_k·v_k‖² over b ≥ 0, Σ b = 1. Corners have ids, which stay when others come and go. A Hull does not change: Move
// returns another, which shares what is equal. Several goroutines may use one.
type Hull struct {
	rows    *Rows
	corners [][]float64 // by id; nil for those that are no more
	ids     []int       // of the corners that are, increasing
	points  *simplexPoints
	parts   []*hullPart
	Solved  int // rows whose mixture the last change solved again
}

// hullPart has the mixtures of a range of items.
type hullPart struct {
	from    []int32 // rangeRows+1: where the entries of each item begin
	corner  []int32 // the id of each entry
	share   []float64
	mean    []float64 // bᵀ(Gb − c) of each item: no corner of a lesser gradient would join its mixture
	rounded []float64 // what rounding may add to a gradient, of each item
}

// entries returns the mixture of item number i of the part.
func (p *hullPart) entries(i int) ([]int32, []float64) {
	return p.corner[p.from[i]:p.from[i+1]], p.share[p.from[i]:p.from[i+1]]
}

// NewHull returns the hull of some corners, with ids from 0. begin may be nil, or sets dst, a value per corner, to a
// mixture to begin with, for speed: the solution depends on it only by rounding. It is called by several goroutines at
// a time. The error is an *ItemError or that of ctx.
func NewHull(ctx context.Context, rows *Rows, corners [][]float64, begin func(dst []float64, i int)) (*Hull, error) {
	h := &Hull{rows: rows, corners: corners, parts: make([]*hullPart, rangeCount(rows.Len()))}
	for id := range corners {
		h.ids = append(h.ids, id)
	}
	h.points = h.gram(ctx)
	if begin == nil {
		begin = func([]float64, int) {}
	}
	return h, h.solve(ctx, nil, func(int) bool { return true }, begin)
}

// Move returns the hull without some corners and with others, whose ids follow all others. Corners that stay keep their
// ids. Rows whose mixture does not change are not solved again. The error is an *ItemError or that of ctx.
func (h *Hull) Move(ctx context.Context, leave []int, join [][]float64) (*Hull, error) {
	next := &Hull{rows: h.rows, corners: append(slices.Clone(h.corners), join...), parts: make([]*hullPart, len(h.parts))}
	left, place := make([]bool, len(next.corners)), make([]int, len(next.corners))
	for _, id := range leave {
		next.corners[id], left[id] = nil, true
	}
	for id, corner := range next.corners {
		if corner != nil {
			place[id] = len(next.ids)
			next.ids = append(next.ids, id)
		}
	}
	next.points = next.gram(ctx)
	joined := next.joining(len(h.corners))
	stale := func(i int) bool {
		part := h.parts[i/rangeRows]
		ids, shares := part.entries(i % rangeRows)
		for _, id := range ids {
			if left[id] {
				return true
			}
		}
		return joined.attract(h.rows, i, ids, shares, part)
	}
	begin := func(dst []float64, i int) {
		ids, shares := h.parts[i/rangeRows].entries(i % rangeRows)
		for e, id := range ids {
			if !left[id] {
				dst[place[id]] = shares[e]
			}
		}
	}
	return next, next.solve(ctx, h.parts, stale, begin)
}

// joining are the new corners of a hull.
type joining struct {
	corners [][]float64
	inner   [][]float64 // of each with all corners, by id
}

func (h *Hull) joining(from int) *joining {
	j := &joining{}
	for _, corner := range h.corners[from:] {
		inner := make([]float64, len(h.corners))
		for _, id := range h.ids {
			inner[id] = kernel.Dot(corner, h.corners[id])
		}
		j.corners, j.inner = append(j.corners, corner), append(j.inner, inner)
	}
	return j
}

// attract reports whether a new corner would join the mixture of item i.
func (j *joining) attract(rows *Rows, i int, ids []int32, shares []float64, part *hullPart) bool {
	if len(ids) == 0 {
		return false // an item without weight
	}
	at := i % rangeRows
	for n, corner := range j.corners {
		gradient := -kernel.Dot(corner, rows.x.Row(i)) / rows.weights[i]
		for e, id := range ids {
			gradient += shares[e] * j.inner[n][id]
		}
		if gradient < part.mean[at]-part.rounded[at] {
			return true
		}
	}
	return false
}

// gram returns the points of the corners.
func (h *Hull) gram(ctx context.Context) *simplexPoints {
	k, width := len(h.ids), h.rows.Width()
	v := make([]float64, 0, k*width)
	for _, id := range h.ids {
		v = append(v, h.corners[id]...)
	}
	return newSimplexPoints(kernel.TimesTransposed(ctx, v, v, k, k, width), k)
}

// solve sets the parts: those of old where no row is stale, and else new ones, in which stale rows are solved from
// where begin sets them.
func (h *Hull) solve(ctx context.Context, old []*hullPart, stale func(i int) bool,
	begin func(dst []float64, i int)) error {
	solved := make([]int, len(h.parts))
	err := eachRange(ctx, nil, h.rows.workers, h.rows.Len(), func(part, first, last int) error {
		todo := make([]bool, last-first)
		some := old == nil
		for i := first; i < last; i++ {
			todo[i-first] = h.rows.weights[i] > 0 && stale(i)
			some = some || todo[i-first]
		}
		if !some {
			h.parts[part] = old[part]
			return ctx.Err()
		}
		s := &hullSolver{h: h, set: newActiveSet(h.points), dense: make([]float64, len(h.ids)),
			products: make([]float64, len(h.ids)), row: make([]float64, h.rows.Width())}
		next := &hullPart{from: make([]int32, 1, rangeRows+1)}
		for i := first; i < last; i++ {
			switch {
			case todo[i-first]:
				if err := s.solve(ctx, next, i, begin); err != nil {
					return err
				}
			case old != nil:
				next.copy(old[part], i-first)
			default: // without weight
				next.end(0, 0)
			}
		}
		h.parts[part], solved[part] = next, s.solved
		return nil
	})
	for _, rows := range solved {
		h.Solved += rows
	}
	return err
}

// copy appends the mixture of item number i of another part.
func (p *hullPart) copy(from *hullPart, i int) {
	ids, shares := from.entries(i)
	p.corner, p.share = append(p.corner, ids...), append(p.share, shares...)
	p.end(from.mean[i], from.rounded[i])
}

// end ends the mixture of an item.
func (p *hullPart) end(mean, rounded float64) {
	p.from = append(p.from, int32(len(p.corner)))
	p.mean, p.rounded = append(p.mean, mean), append(p.rounded, rounded)
}

// hullSolver solves mixtures. It belongs to one goroutine.
type hullSolver struct {
	h                    *Hull
	set                  *activeSet
	dense, products, row []float64
	solved               int
}

// solve appends the mixture of item i to a part.
func (s *hullSolver) solve(ctx context.Context, to *hullPart, i int, begin func(dst []float64, i int)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h := s.h
	h.rows.row(s.row, i)
	for a, id := range h.ids {
		if s.products[a] = kernel.Dot(h.corners[id], s.row); !finite(s.products[a]) {
			return (&Options{}).itemError(TinyRowSum, []int{i}, tooSmall)
		}
	}
	clear(s.dense)
	begin(s.dense, i)
	iterations, residual := s.set.resume(s.products, s.dense)
	if err := checkMixture(i, iterations, residual, &Options{}); err != nil {
		return err
	}
	for a, share := range s.set.b[:len(h.ids)] {
		if share > 0 {
			to.corner, to.share = append(to.corner, int32(h.ids[a])), append(to.share, share)
		}
	}
	length := s.set.targetLength + s.set.bLength
	to.end(s.set.mean, attraction*length*length)
	s.solved++
	return nil
}

// attraction is how much less than the mean a corner's gradient must be, relative to the squares of the lengths, to
// join a mixture. Rows have single precision.
const attraction = 1e-9

// Entries returns the ids and shares of the corners in the mixture of item i. They must not be changed.
func (h *Hull) Entries(i int) ([]int32, []float64) {
	return h.parts[i/rangeRows].entries(i % rangeRows)
}

// Corners returns the number of ids that were ever given, and Corner the corner of an id, nil if it is no more.
func (h *Hull) Corners() int            { return len(h.corners) }
func (h *Hull) Corner(id int) []float64 { return h.corners[id] }

// Nearest sets dst, a value per id, to the mixture of corners that is nearest to any point.
func (h *Hull) Nearest(dst, point []float64) {
	products := make([]float64, len(h.ids))
	for a, id := range h.ids {
		products[a] = kernel.Dot(h.corners[id], point)
	}
	set := newActiveSet(h.points)
	set.solve(products)
	clear(dst[:len(h.corners)])
	for a, id := range h.ids {
		dst[id] = set.b[a]
	}
}
