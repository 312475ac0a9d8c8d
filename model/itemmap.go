// This file lays items into the plane in which anchors lie farthest apart, as Figure 2 of Lee et al. (ICML 2021) shows them.

package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// mapItems is how many items a map has beside the anchors: those of the greatest probability.
const mapItems = 1500

// Map says where items lie in the plane of the anchors: row i of C̄, the rectified co-occurrences divided by their row sums, is a point of
// R^N; the plane is that of the two leading principal components of the K anchors' points, and its origin is their mean. Before are the points
// of C as it was counted, as far as its leading eigenpairs have it, in the plane of the same anchors there.
type Map struct {
	Items            []int // the anchors in the order of the topics, then the items with the greatest probability
	X, Y             []float64
	BeforeX, BeforeY []float64 // NaN if unknown
}

func (m *Map) table(rows, n int) table {
	return table{file: mapFile, rows: rows, whole: true, columns: []column{
		itemColumn("index", &m.Items, n), values("x", &m.X), values("y", &m.Y), values("before_x", &m.BeforeX), values("before_y", &m.BeforeY),
	}}
}

// itemMap returns the map; nil if there is no factor, or no plane.
func (f *Fitted) itemMap(ctx context.Context, m *Model) (*Map, error) {
	if f.Factor == nil || len(m.Anchors) < 3 {
		return nil, nil
	}
	p := &Map{Items: mappedItems(m)}
	sums := columnSums(f.Factor)
	rectified := func(dst []float64, i int) {
		total := 0.0
		for k, v := range f.Factor.Row(i) {
			dst[k] = v
			total += v * sums[k]
		}
		divide(dst, total)
	}
	gram := kernel.Gram(ctx, f.Factor, f.Factor, f.run.Workers)
	var err error
	if p.X, p.Y, err = plane(ctx, p.Items, len(m.Anchors), f.Factor.Cols(), rectified, gram, f.run.Workers); err != nil || p.X == nil {
		return nil, err
	}
	p.BeforeX, p.BeforeY = unknowns(len(p.Items)), unknowns(len(p.Items))
	if f.Leading == nil || len(f.Values) == 0 || f.Leading.Cols() < len(f.Values) {
		return p, nil
	}
	probabilities := f.Marginals.Probabilities()
	counted := func(dst []float64, i int) {
		row := f.Leading.Row(i)
		for k, value := range f.Values {
			dst[k] = value * float64(row[k])
		}
		divide(dst, probabilities[i])
	}
	x, y, err := plane(ctx, p.Items, len(m.Anchors), len(f.Values), counted, nil, f.run.Workers)
	if err != nil || x == nil {
		return p, err
	}
	p.BeforeX, p.BeforeY = turned(x, y, p.X, p.Y, len(m.Anchors))
	return p, nil
}

// mappedItems returns the anchors and the items of the greatest probability.
func mappedItems(m *Model) []int {
	order := make([]int, m.Vocabulary.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(m.Probability[b], m.Probability[a]), cmp.Compare(a, b)) })
	items := slices.Clone(m.Anchors)
	for _, i := range order[:min(mapItems, len(order))] {
		if !slices.Contains(m.Anchors, i) {
			items = append(items, i)
		}
	}
	return items
}

// columnSums returns the sums of the columns.
func columnSums(t *matrix.Tall) []float64 {
	sums := make([]float64, t.Cols())
	for i := range t.Rows() {
		for k, v := range t.Row(i) {
			sums[k] += v
		}
	}
	return sums
}

func divide(values []float64, by float64) {
	for k := range values {
		if by > 0 {
			values[k] /= by
		} else {
			values[k] = 0
		}
	}
}

// plane returns the coordinates of items in the plane of the first of them, the anchors. row sets dst to the width coordinates of an item
// in a space with the inner product aᵀ·G·b; nil stands for the identity. With too few directions it returns nil.
func plane(ctx context.Context, items []int, anchors, width int, row func(dst []float64, i int), gram []float64, workers int) (x, y []float64, err error) {
	points := make([]float64, anchors*width)
	mean := make([]float64, width)
	for a := range anchors {
		point := points[a*width:][:width]
		row(point, items[a])
		for k, v := range point {
			mean[k] += v / float64(anchors)
		}
	}
	images := make([]float64, anchors*width) // of the centred points, by G
	for a := range anchors {
		point := points[a*width:][:width]
		for k := range point {
			point[k] -= mean[k]
		}
		applied(images[a*width:][:width], point, gram)
	}
	inner := make([]float64, anchors*anchors)
	for a := range anchors {
		for b := range a + 1 {
			v := dotOf(points[a*width:][:width], images[b*width:][:width])
			inner[a*anchors+b], inner[b*anchors+a] = v, v
		}
	}
	values, vectors, err := kernel.LeadingEigen(ctx, inner, anchors, 2, workers)
	if err != nil || len(values) < 2 || !(values[1] > 0) {
		return nil, nil, ctx.Err() // numbers that are no plane are not worth an error
	}
	var axes [2][]float64
	for j := range axes {
		axes[j] = make([]float64, width)
		for a := range anchors {
			for k, v := range images[a*width:][:width] {
				axes[j][k] += vectors[a*2+j] / math.Sqrt(values[j]) * v
			}
		}
	}
	one := make([]float64, width)
	x, y = make([]float64, len(items)), make([]float64, len(items))
	for n, i := range items {
		row(one, i)
		for k := range one {
			one[k] -= mean[k]
		}
		x[n], y[n] = dotOf(one, axes[0]), dotOf(one, axes[1])
	}
	orient(x, anchors)
	orient(y, anchors)
	return x, y, nil
}

// orient turns coordinates so that the farthest of the first n lies on the positive side: the sign of eigenvectors means nothing.
func orient(x []float64, n int) {
	far := 0.0
	for _, v := range x[:n] {
		if math.Abs(v) > math.Abs(far) {
			far = v
		}
	}
	if far < 0 {
		for i := range x {
			x[i] = -x[i]
		}
	}
}

// turned returns points turned and reflected so that the first n lie as near as possible to others (the orthogonal Procrustes problem, in
// the plane).
func turned(x, y, toX, toY []float64, n int) (u, v []float64) {
	best := [2]float64{}
	length := [2]float64{}
	for r, sign := range []float64{1, -1} { // the second reflects
		c, s := 0.0, 0.0
		for i := range n {
			c += x[i]*toX[i] + sign*y[i]*toY[i]
			s += x[i]*toY[i] - sign*y[i]*toX[i]
		}
		best[r], length[r] = math.Atan2(s, c), math.Hypot(c, s)
	}
	sign, angle := 1.0, best[0]
	if length[1] > length[0] {
		sign, angle = -1, best[1]
	}
	cos, sin := math.Cos(angle), math.Sin(angle)
	for i := range x {
		u, v = append(u, cos*x[i]-sin*sign*y[i]), append(v, sin*x[i]+cos*sign*y[i])
	}
	return u, v
}

// applied sets dst to G·x.
func applied(dst, x, gram []float64) {
	if gram == nil {
		copy(dst, x)
		return
	}
	for k := range dst {
		dst[k] = dotOf(gram[k*len(x):][:len(x)], x)
	}
}

func dotOf(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
