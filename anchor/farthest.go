// This file finds the item that corners explain least: the next vertex.

package anchor

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// Farthest is an item that corners leave far from their hull.
type Farthest struct {
	Item     int // −1 if there is no such item
	Distance float64
	Certain  bool // by more than noise
}

// Farthest returns, of the items that are allowed, the one whose row is farthest from the hull, as the successive
// nonnegative projection algorithm chooses its next vertex (Gillis, SIAM J. Imaging Sci. 7, 2014). Other than the
// distance from the span of the anchors, this stays meaningful when there are as many corners as coordinates. With
// noise, the square of the distance is first reduced by boundDeviations² times the variance of as many coordinates as
// the mixture leaves free, as pivots are; without, distances count √d times, so that rare items do not win by chance.
// If none is farther than its noise, only the distances decide. The error is that of ctx.
func (h *Hull) Farthest(ctx context.Context, allowed func(i int) bool) (Farthest, error) {
	best := make([][2]Farthest, len(h.parts)) // by more than noise; and by distance
	scores := make([][2]float64, len(h.parts))
	err := eachRange(ctx, nil, h.rows.workers, h.rows.Len(), func(part, first, last int) error {
		row := make([]float64, h.rows.Width())
		best[part] = [2]Farthest{{Item: -1}, {Item: -1}}
		for i := first; i < last; i++ {
			if !(h.rows.weights[i] > 0) || !allowed(i) {
				continue
			}
			square, corners := h.leaves(row, i)
			for kind, score := range h.scores(square, corners, i) {
				if score > scores[part][kind] {
					scores[part][kind] = score
					best[part][kind] = Farthest{i, math.Sqrt(square), kind == 0}
				}
			}
		}
		return ctx.Err()
	})
	found, score := [2]Farthest{{Item: -1}, {Item: -1}}, [2]float64{}
	for part := range best {
		for kind := range found {
			if scores[part][kind] > score[kind] {
				found[kind], score[kind] = best[part][kind], scores[part][kind]
			}
		}
	}
	if found[0].Item >= 0 {
		return found[0], err
	}
	return found[1], err
}

// leaves returns the square of the distance of item i from its mixture, and the number of corners in it. Row is
// overwritten.
func (h *Hull) leaves(row []float64, i int) (square float64, corners int) {
	h.rows.row(row, i)
	ids, shares := h.Entries(i)
	for e, id := range ids {
		addScaled(row, -shares[e], h.corners[id])
	}
	return kernel.Dot(row, row), len(ids)
}

// scores returns what a distance counts with regard to noise, and without.
func (h *Hull) scores(square float64, corners, i int) [2]float64 {
	weighted := square * h.rows.weights[i]
	if h.rows.noise == nil {
		return [2]float64{0, weighted}
	}
	variance := h.rows.noise[i]
	if !finite(variance) {
		return [2]float64{}
	}
	free := float64(h.rows.Width()-corners+1) / float64(h.rows.topics)
	return [2]float64{max(square-boundDeviations*boundDeviations*free*variance, 0), weighted}
}

// addScaled adds scale times v to sum.
func addScaled(sum []float64, scale float64, v []float64) {
	for j, value := range v {
		sum[j] += scale * value
	}
}
