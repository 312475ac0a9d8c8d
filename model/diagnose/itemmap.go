// This file lays items into the polygon of the anchors, after Figure 2 of Lee et al. (ICML 2021).

package diagnose

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/linkage"
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
		for c, v := range m.Factor.Row(i) {
			sums[c] += v
		}
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
	if m.Leading == nil || len(m.Eigenvalues) != k || m.Leading.Cols() < k {
		return p, ctx.Err()
	}
	probabilities := m.Marginals.Probabilities()
	x, y := among(p.Items, places, func(dst []float64, i int) {
		row := m.Leading.Row(i)
		for c, value := range m.Eigenvalues {
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
	s, right := make([]float64, k*k), make([]float64, 2*k)
	for a := range k {
		row(s[a*k:][:k], items[a])
		right[2*a], right[2*a+1] = places[a][0], places[a][1]
	}
	if !solve(s, right, k, 2) {
		return nil, nil
	}
	one := make([]float64, k)
	for _, i := range items {
		row(one, i)
		px, py := 0.0, 0.0
		for c, v := range one {
			px, py = px+v*right[2*c], py+v*right[2*c+1]
		}
		x, y = append(x, px), append(y, py)
	}
	return x, y
}

// solve replaces the n×m matrix b by A⁻¹·b for an n×n matrix, which it uses up, by Gaussian elimination with partial
// pivoting. It reports whether A can be inverted.
func solve(a, b []float64, n, m int) bool {
	greatest := 0.0
	for _, v := range a {
		greatest = max(greatest, math.Abs(v))
	}
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r*n+c]) > math.Abs(a[pivot*n+c]) {
				pivot = r
			}
		}
		if !(math.Abs(a[pivot*n+c]) > greatest*float64(n)*0x1p-52) {
			return false
		}
		for j := range n {
			a[c*n+j], a[pivot*n+j] = a[pivot*n+j], a[c*n+j]
		}
		for j := range m {
			b[c*m+j], b[pivot*m+j] = b[pivot*m+j], b[c*m+j]
		}
		for r := c + 1; r < n; r++ {
			factor := a[r*n+c] / a[c*n+c]
			if factor == 0 {
				continue
			}
			to, from := a[r*n+c:r*n+n], a[c*n+c:c*n+n]
			for j, v := range from {
				to[j] -= factor * v
			}
			for j := range m {
				b[r*m+j] -= factor * b[c*m+j]
			}
		}
	}
	for c := n - 1; c >= 0; c-- {
		for j := range m {
			v := b[c*m+j]
			for r := c + 1; r < n; r++ {
				v -= a[c*n+r] * b[r*m+j]
			}
			b[c*m+j] = v / a[c*n+c]
		}
	}
	return true
}

// mappedItems returns the anchors and the items of the greatest probability.
func mappedItems(m *model.Model) []int {
	order := make([]int, m.Vocabulary.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.Probability[b], m.Probability[a]), cmp.Compare(a, b))
	})
	items := slices.Clone(m.Anchors)
	for _, i := range order[:min(mapItems, len(order))] {
		if !slices.Contains(m.Anchors, i) {
			items = append(items, i)
		}
	}
	return items
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
