// This file is LAW written the plain way, on N×N matrices, for the others to be compared with.

package anchor

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/matrix"
)

// twin is what the plain form infers.
type twin struct {
	anchors      []int
	pivots       []float64
	weights      []float64
	mixtures     [][]float64 // N×K
	b            [][]float64 // N×K
	correlations [][]float64
}

// plainLAW follows the published algorithm on the N×N matrix C = Y·Yᵀ. rowSums is nil for those of the factor.
// candidate says which items may be anchors, nil all.
func plainLAW(t *testing.T, y *mat.Dense, rowSums []float64, k int, candidate func(i int) bool) twin {
	t.Helper()
	n, _ := y.Dims()
	var c mat.Dense
	c.Mul(y, y.T())
	d := make([]float64, n)
	for i := range d {
		if rowSums != nil {
			d[i] = rowSums[i]
			continue
		}
		for j := range n {
			d[i] += c.At(i, j)
		}
	}
	normalised := make([][]float64, n)
	for i := range normalised {
		normalised[i] = make([]float64, n)
		if candidate != nil && !candidate(i) {
			continue
		}
		for j := range n {
			normalised[i][j] = c.At(i, j) / d[i]
		}
	}
	result := twin{weights: d}
	result.anchors, result.pivots = plainPivots(normalised, k)

	corrected := make([]bool, n)
	for _, s := range result.anchors {
		corrected[s] = true
	}
	for i := range d {
		corrected[i] = corrected[i] || d[i] < 0
	}
	for i := range n {
		for j := range n {
			if c.At(i, j) < 0 && (corrected[i] || corrected[j]) {
				if rowSums == nil {
					d[i] -= c.At(i, j)
				}
				c.Set(i, j, 0)
			}
		}
	}
	var qr mat.QR
	qr.Factorize(y)
	var q, x mat.Dense
	qr.QTo(&q)
	_, columns := y.Dims()
	x.Mul(&c, q.Slice(0, n, 0, columns))
	for i := range n {
		for j := range columns {
			x.Set(i, j, x.At(i, j)/d[i])
		}
	}
	points := mat.NewDense(k, columns, nil)
	for a, s := range result.anchors {
		points.SetRow(a, x.RawRowView(s))
	}
	masses := make([]float64, k)
	for i := range n {
		b := bruteSimplex(t, points, x.RawRowView(i))
		result.mixtures = append(result.mixtures, b)
		for a := range k {
			masses[a] += b[a] * d[i]
		}
	}
	for i := range n {
		row := make([]float64, k)
		for a := range k {
			row[a] = result.mixtures[i][a] * d[i] / masses[a]
		}
		result.b = append(result.b, row)
	}
	for a, s := range result.anchors {
		row := make([]float64, k)
		for b, r := range result.anchors {
			row[b] = c.At(s, r) / result.b[s][a] / result.b[r][b]
		}
		result.correlations = append(result.correlations, row)
	}
	return result
}

// plainPivots is QR with column pivoting of the transpose of rows, by explicit deflation.
func plainPivots(rows [][]float64, k int) (selected []int, pivots []float64) {
	left := make([][]float64, len(rows))
	for i, row := range rows {
		left[i] = append([]float64(nil), row...)
	}
	for range k {
		best, bestNorm := 0, -1.0
		for i, row := range left {
			if norm := mat.Norm(mat.NewVecDense(len(row), row), 2); norm > bestNorm {
				best, bestNorm = i, norm
			}
		}
		selected, pivots = append(selected, best), append(pivots, bestNorm)
		direction := append([]float64(nil), left[best]...)
		for j := range direction {
			direction[j] /= bestNorm
		}
		for _, row := range left {
			for range 2 {
				component := 0.0
				for j, v := range row {
					component += v * direction[j]
				}
				for j := range row {
					row[j] -= component * direction[j]
				}
			}
		}
		clear(left[best])
	}
	return selected, pivots
}

// bruteSimplex minimises ‖x − pointsᵀ·b‖² over the simplex by trying every support. On each the minimum with Σ b = 1 is
// a least-squares problem in the differences to one of its points.
func bruteSimplex(t *testing.T, points *mat.Dense, x []float64) []float64 {
	t.Helper()
	k, width := points.Dims()
	var best []float64
	bestValue := math.Inf(1)
	for support := 1; support < 1<<k; support++ {
		var members []int
		for j := range k {
			if support>>j&1 == 1 {
				members = append(members, j)
			}
		}
		b := make([]float64, k)
		origin := points.RawRowView(members[0])
		if len(members) > 1 {
			differences, target := mat.NewDense(width, len(members)-1, nil), mat.NewVecDense(width, nil)
			for p := range width {
				for m, j := range members[1:] {
					differences.Set(p, m, points.At(j, p)-origin[p])
				}
				target.SetVec(p, x[p]-origin[p])
			}
			if len(members)-1 > width {
				continue // some smaller support does as well
			}
			var solution mat.VecDense
			if err := solution.SolveVec(differences, target); err != nil {
				continue // affinely dependent: some smaller support does as well
			}
			for m, j := range members[1:] {
				b[j] = solution.AtVec(m)
			}
		}
		rest, feasible := 1.0, true
		for _, j := range members[1:] {
			rest -= b[j]
			feasible = feasible && b[j] >= -1e-12
		}
		b[members[0]] = rest
		if !feasible || rest < -1e-12 {
			continue
		}
		if value := plainObjective(points, x, b); value < bestValue {
			best, bestValue = b, value
		}
	}
	if best == nil {
		t.Fatal("no feasible support")
	}
	for j := range best {
		best[j] = max(best[j], 0)
	}
	return best
}

// plainObjective returns ‖x − pointsᵀ·b‖².
func plainObjective(points *mat.Dense, x, b []float64) float64 {
	value := 0.0
	for p, v := range x {
		for j, weight := range b {
			v -= weight * points.At(j, p)
		}
		value += v * v
	}
	return value
}

func tallOf(m mat.Matrix) *matrix.Tall {
	n, columns := m.Dims()
	tall := matrix.NewTall(n, columns)
	for i := range n {
		for j := range columns {
			tall.Row(i)[j] = m.At(i, j)
		}
	}
	return tall
}

// planted is a model with known answers: C = B·A·Bᵀ, with an anchor for every topic.
type planted struct {
	b, a, y *mat.Dense
	rowSums []float64
	anchor  []int // of each topic
}

// plant draws a model. Topic k has the anchor n-1-3k; the other items belong to two or three topics each.
func plant(rng *rand.Rand, n, k int) planted {
	p := planted{b: mat.NewDense(n, k, nil), a: mat.NewDense(k, k, nil), anchor: make([]int, k)}
	for i := range n {
		for _, topic := range rng.Perm(k)[:min(k, 3)] {
			p.b.Set(i, topic, rng.ExpFloat64()/float64(1+i))
		}
	}
	for topic := range k {
		p.anchor[topic] = n - 1 - 3*topic
		row := make([]float64, k)
		row[topic] = 0.5 / float64(n)
		p.b.SetRow(p.anchor[topic], row)
	}
	for topic := range k {
		sum := mat.Sum(p.b.ColView(topic))
		for i := range n {
			p.b.Set(i, topic, p.b.At(i, topic)/sum)
		}
	}
	mixing := mat.NewDense(k, k, nil)
	for i := range k {
		for j := range k {
			mixing.Set(i, j, 0.2*rng.ExpFloat64())
		}
		mixing.Set(i, i, 1+rng.Float64())
	}
	p.a.Mul(mixing, mixing.T())
	scale := 1 / mat.Sum(p.a)
	p.a.Scale(scale, p.a)
	mixing.Scale(math.Sqrt(scale), mixing)
	p.y = mat.NewDense(n, k, nil)
	p.y.Mul(p.b, mixing)
	p.rowSums = make([]float64, n)
	for j := range k {
		sum := mat.Sum(p.y.ColView(j))
		for i := range n {
			p.rowSums[i] += p.y.At(i, j) * sum
		}
	}
	return p
}

// disturb returns y with noise added, so that some entries of C become negative, and, for the rarest items, row sums
// too.
func disturb(rng *rand.Rand, y *mat.Dense, size float64) *mat.Dense {
	n, k := y.Dims()
	noisy := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range k {
			noisy.Set(i, j, y.At(i, j)*(1+size*rng.NormFloat64())+size*rng.NormFloat64()/(3*float64(n)))
		}
	}
	return noisy
}
