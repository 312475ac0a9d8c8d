// This file lays items into the polygon of the anchors, after Figure 2 of Lee et al. (ICML 2021).

package diagnose

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"anchorage/internal/linkage"
	"anchorage/internal/toplist"
	"anchorage/model"
)

// mapItems is how many items a map has beside the anchors: those of the greatest probability.
const mapItems = 1500

// itemMap returns the map; nil if there is no factor, or the anchors span too little.
func itemMap(ctx context.Context, m *model.Model) (*model.Map, error) {
	k := len(m.Anchors)
	if m.Factor == nil || k < 3 || m.Factor.Cols() != k {
		return nil, nil
	}
	p := &model.Map{Items: mappedItems(m)}
	places := circle(m)
	sums := make([]float64, k) // of the columns
	for i := range m.Factor.Rows() {
		floats.Add(sums, m.Factor.Row(i))
	}
	p.X, p.Y = among(p.Items, places, func(dst []float64, i int) {
		total := 0.0
		for c, v := range m.Factor.Row(i) {
			dst[c] = v
			total += v * sums[c]
		}
		divide(dst, total)
	})
	if p.X == nil {
		return nil, nil
	}
	p.BeforeX, p.BeforeY = unknown(len(p.Items)), unknown(len(p.Items))
	if m.Eigen.Leading == nil || len(m.Eigen.Values) != k || m.Eigen.Leading.Cols() < k {
		return p, ctx.Err()
	}
	probabilities := m.Marginals.Probabilities()
	x, y := among(p.Items, places, func(dst []float64, i int) {
		row := m.Eigen.Leading.Row(i)
		for c, value := range m.Eigen.Values {
			dst[c] = value * float64(row[c])
		}
		divide(dst, probabilities[i])
	})
	if x != nil {
		p.BeforeX, p.BeforeY = x, y
	}
	return p, ctx.Err()
}

// circle returns the places of the K anchors, x and y.
func circle(m *model.Model) [][2]float64 {
	k := m.Topics()
	alike := make([]float64, k*k)
	for at := range alike {
		a, b := at/k, at%k
		if v := m.TopicJoint[at] / math.Sqrt(m.TopicJoint[a*k+a]*m.TopicJoint[b*k+b]); v > 0 { // not NaN either
			alike[at] = min(v, 1)
		}
	}
	places := make([][2]float64, k)
	for at, topic := range linkage.Order(alike, k) {
		angle := 2 * math.Pi * float64(at) / float64(k)
		places[topic] = [2]float64{math.Sin(angle), math.Cos(angle)}
	}
	return places
}

// among returns the places of items by those of the first of them, the anchors. row sets dst to the K coordinates of an
// item. With the anchors' coordinates as the rows of S, an item x has the weights w with Sᵀ·w = x, and so the place
// xᵀ·S⁻¹·P. It returns nil if S cannot be inverted.
func among(items []int, places [][2]float64, row func(dst []float64, i int)) (x, y []float64) {
	k := len(places)
	s, right := mat.NewDense(k, k, nil), mat.NewDense(k, 2, nil)
	for a := range k {
		row(s.RawRowView(a), items[a])
		right.SetRow(a, places[a][:])
	}
	if right.Solve(s, right) != nil {
		return nil, nil
	}
	one := make([]float64, k)
	for _, i := range items {
		row(one, i)
		px, py := 0.0, 0.0
		for c, v := range one {
			px, py = px+v*right.At(c, 0), py+v*right.At(c, 1)
		}
		x, y = append(x, px), append(y, py)
	}
	return x, y
}

// mappedItems returns the anchors and the items of the greatest probability.
func mappedItems(m *model.Model) []int {
	greatest := toplist.Order(m.Probability)[:min(mapItems, len(m.Probability))]
	isAnchor := func(i int) bool { return slices.Contains(m.Anchors, i) }
	return slices.Concat(m.Anchors, slices.DeleteFunc(greatest, isAnchor))
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

// unknown returns n unknown values.
func unknown(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
