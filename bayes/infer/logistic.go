// This file holds logistic-normal priors, and the mode of a document's mixture under them.

package infer

import (
	"context"
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
)

// Normal is a logistic-normal prior: θ_k ∝ exp(η_k), and η is normal.
type Normal struct {
	Mean       []float64 // K: E η
	Covariance []float64 // K×K, row-major and symmetric
}

// The bounds of A_kl/(s_k s_l) in a logistic-normal prior: how much more, or less, often than by chance two topics meet.
const (
	leastLift    = 0.01
	greatestLift = 1e4
)

// MatchLogisticNormal returns the logistic-normal prior whose weights exp(η_k), before they are scaled to sum to 1, have the moments of θ,
// E θ = s = Shares(A) and E θθᵀ = A. Of log-normal weights these are
//
//	cov(η_k, η_l) = ln(A_kl/(s_k s_l))      E η_k = ln s_k − cov(η_k, η_k)/2
//
// with quotients kept between 0.01 and 10⁴. Scaling changes the moments somewhat. A shift of all η_k changes nothing, so mean and
// covariance are centred; of the covariance the part without negative eigenvalues is kept.
func MatchLogisticNormal(joint []float64, k int) *Normal {
	shares, sum := Shares(joint, k), 0.0
	for _, p := range joint {
		sum += positive(p)
	}
	p := &Normal{Mean: make([]float64, k), Covariance: make([]float64, k*k)}
	for a, s := range shares {
		for b, u := range shares {
			lift := leastLift
			if sum > 0 {
				lift = (positive(joint[a*k+b]) + positive(joint[b*k+a])) / (2 * sum * s * u)
			}
			p.Covariance[a*k+b] = math.Log(min(max(lift, leastLift), greatestLift))
		}
		p.Mean[a] = math.Log(s) - p.Covariance[a*k+a]/2
	}
	center(p.Mean, p.Covariance)
	return p
}

// center subtracts the mean of the means, and the means of the rows and columns of the covariance.
func center(mean, covariance []float64) {
	k := len(mean)
	average, rows, all := 0.0, make([]float64, k), 0.0
	for a, m := range mean {
		average += m / float64(k)
		for _, v := range covariance[a*k : (a+1)*k] {
			rows[a] += v / float64(k)
		}
		all += rows[a] / float64(k)
	}
	for a := range mean {
		mean[a] -= average
		for b := range mean {
			covariance[a*k+b] += all - rows[a] - rows[b]
		}
	}
}

// normal is a logistic-normal prior in the basis of its covariance's eigenvectors.
type normal struct {
	mean   []float64
	values []float64 // d_j, decreasing and positive
	basis  []float32 // a padded row per eigenvector u_j
}

// prepare returns the prior as documents need it.
func (p *Normal) prepare() *normal {
	k := len(p.Mean)
	width := aligned.Columns[float32](k)
	values, vectors, err := kernel.SymmetricEigen(context.Background(), p.Covariance, k, 1)
	if err != nil {
		panic("infer: the covariance of a bounded prior has no eigenvalues: " + err.Error())
	}
	n := &normal{mean: p.Mean}
	for j, d := range values {
		if d <= 1e-9*values[0] {
			break
		}
		n.values = append(n.values, d)
		row := make([]float32, width)
		for a := range k {
			row[a] = float32(vectors[a*k+j])
		}
		n.basis = append(n.basis, row...)
	}
	return n
}

// climbing is the scratch of climb.
type climbing struct {
	eta, pull, along []float32 // padded K; padded K; of each eigenvector
	y                []float64 // of each eigenvector: u_j·(η − E η)
}

// slow is how many steps of climb count as one iteration: they are shorter than those of other methods.
const slow = 10

// climb sets a to the mode of θ in the basis η. The Hessian of −Σ_i X_i ln Σ_k B_ik θ_k, beyond its concave part, is nowhere above
// n/2·I (Böhning, Ann. Inst. Stat. Math. 44, 1992), with n = Σ_i X_i. So with r_k = Σ_i X_i γ_ik, γ_ik ∝ B_ik θ_k, this step never lowers
// the posterior density:
//
//	y_j ← y_j + (d_j·u_j·(r − nθ) − y_j)/(1 + d_j n/2)      η = E η + Σ_j y_j u_j
func (w *Worker) climb() {
	t, c := w.t, &w.climbing
	p := t.normal
	if c.eta == nil {
		c.eta, c.pull = make([]float32, len(w.a)), make([]float32, len(w.a))
		c.along, c.y = make([]float32, len(p.values)), make([]float64, len(p.values))
	}
	clear(c.y)
	n := w.tokens
	for step := 0; ; step++ {
		clear(c.eta)
		for j, y := range c.y {
			c.along[j] = float32(y)
		}
		kernel.AddRows(c.eta, p.basis, c.along)
		moved := w.softmax()
		w.respond(w.a)
		if step > 0 && moved*n <= t.options.Tolerance*(t.total+n)/slow || step >= slow*t.options.Iterations {
			return
		}
		for k, a := range w.a {
			c.pull[k] = float32(-n) * a
		}
		kernel.AddRows(c.pull, w.gamma, w.counts)
		kernel.RowDots(c.along, p.basis, c.pull)
		for j, d := range p.values {
			c.y[j] += (d*float64(c.along[j]) - c.y[j]) / (1 + d*n/2)
		}
	}
}

// softmax sets a to the mixture of η, and returns how far it moved, ‖·‖₁.
func (w *Worker) softmax() (moved float64) {
	c, mean := &w.climbing, w.t.normal.mean
	highest, sum := math.Inf(-1), 0.0
	for k, m := range mean {
		c.eta[k] += float32(m)
		highest = max(highest, float64(c.eta[k]))
	}
	for k := range mean {
		v := math.Exp(float64(c.eta[k]) - highest)
		c.eta[k] = float32(v)
		sum += v
	}
	for k := range mean {
		next := float32(max(float64(c.eta[k])/sum, 1e-30))
		moved += math.Abs(float64(next - w.a[k]))
		w.a[k] = next
	}
	return moved
}
