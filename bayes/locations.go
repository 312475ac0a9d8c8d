// This file moves the topics' locations in correlated NMF: by a step of Newton's method for each batch or, in the batch
// algorithm, by steepest ascent with a line search.

package bayes

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// locationPasses is how often one update of the topics' locations reads those of the documents, besides the first time.
const locationPasses = 8

// locationAscent is the ascent of all ℓ_k at once. For fixed p, u and α the objective is a sum of one for every topic,
//
//	f_k(ℓ) = (Σ_d Σ_v X p_k u_d)·ℓ − E β_k Σ_d exp{α_d + ℓ·u_d} − ‖ℓ‖²/(2σ²)
//
// which is concave. Each topic has its own step length.
type locationAscent struct {
	s        *State
	linear   []float64 // K×latent
	masses   []float64 // K: E β_k
	at       []float64 // ℓ, K×latent
	value    []float64 // K
	gradient []float64 // K×latent
	length   []float64 // K
}

// climbLocations returns the topics' locations after a few steps of steepest ascent (11.30). A step that would not
// raise the objective is not made. Masses are Σ_v E β_vk.
func (f *Fitter) climbLocations(ctx context.Context, linear, masses []float64) ([]float64, error) {
	s := f.State
	a := &locationAscent{s: s, linear: linear, masses: masses, at: slices.Clone(s.locations),
		length: make([]float64, s.Options.Topics)}
	sums, moments, err := f.locationMoments(ctx, a.at)
	if err != nil {
		return nil, err
	}
	a.value, a.gradient = a.objective(a.at, sums, moments)
	for k := range a.length {
		a.length[k] = 1 / (1/s.Options.Variance + a.masses[k]*sums[k])
	}
	for range locationPasses {
		trial := make([]float64, len(a.at))
		for i, v := range a.at {
			trial[i] = v + a.length[i/s.latent]*a.gradient[i]
		}
		if sums, moments, err = f.locationMoments(ctx, trial); err != nil {
			return nil, err
		}
		a.accept(trial, sums, moments)
	}
	return a.at, nil
}

// objective returns f_k and its gradient for all topics, given Σ_d exp{α_d + ℓ_k·u_d} and the same times u_d.
func (a *locationAscent) objective(at, sums, moments []float64) (value, gradient []float64) {
	latent, variance := a.s.latent, a.s.Options.Variance
	value, gradient = make([]float64, len(sums)), make([]float64, len(at))
	for k, sum := range sums {
		l, linear := at[k*latent:][:latent], a.linear[k*latent:][:latent]
		value[k] = dot(linear, l) - a.masses[k]*sum - dot(l, l)/(2*variance)
		for j := range l {
			gradient[k*latent+j] = linear[j] - a.masses[k]*moments[k*latent+j] - l[j]/variance
		}
	}
	return value, gradient
}

// accept moves the topics that are higher at trial (Armijo) and chooses their next step length by Barzilai & Borwein.
// It halves the step length of the others.
func (a *locationAscent) accept(trial, sums, moments []float64) {
	const enough = 1e-4
	latent := a.s.latent
	value, gradient := a.objective(trial, sums, moments)
	for k := range value {
		old, next := a.gradient[k*latent:][:latent], gradient[k*latent:][:latent]
		square := dot(old, old)
		if !(value[k] >= a.value[k]+enough*a.length[k]*square) {
			a.length[k] /= 2
			continue
		}
		curvature := 0.0
		for j, g := range old {
			curvature += g * (g - next[j])
		}
		if curvature > 0 {
			a.length[k] *= square / curvature
		}
		a.value[k] = value[k]
		copy(old, next)
		copy(a.at[k*latent:][:latent], trial[k*latent:][:latent])
	}
}

// locationMoments returns Σ_d exp{α_d + ℓ_k·u_d}, K values, and the same times u_d, K×latent, over the documents'
// locations of this iteration. It adds blocks of documents in their order.
func (f *Fitter) locationMoments(ctx context.Context, locations []float64) (sums, moments []float64, err error) {
	s := f.State
	across := make([]float64, s.Options.Latent*s.stride)
	s.transpose(across, locations)
	sums, moments = make([]float64, s.Options.Topics), make([]float64, s.Options.Topics*s.latent)
	const chunk, block = 4096, 256
	rows, width := make([]float64, chunk*f.locals.width), f.locals.width
	parts := make([][]float64, chunk/block)
	for first := int64(0); first < s.Corpus.Documents; first += chunk {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		count := int(min(chunk, s.Corpus.Documents-first))
		if err := f.locals.read(f.locals.next, rows[:count*width], first); err != nil {
			return nil, nil, err
		}
		blocks := (count + block - 1) / block
		kernel.Each(s.Options.Workers, blocks, func(b int) {
			parts[b] = f.engine.blockMoments(across, rows[b*block*width:min((b+1)*block, count)*width])
		})
		for _, part := range parts[:blocks] {
			for k := range sums {
				sums[k] += part[k]
				for j := range s.Options.Latent {
					moments[k*s.latent+j] += part[(j+1)*s.stride+k]
				}
			}
		}
	}
	return sums, moments, nil
}

// blockMoments returns the sums over some documents in rows of stride values: Σ exp, and then Σ u_j·exp for each j.
func (e *engine) blockMoments(across, documents []float64) []float64 {
	s := e.s
	m, width := s.Options.Latent, s.latent+1
	sum := make([]float64, (m+1)*s.stride)
	weight := make([]float64, s.stride)
	for ; len(documents) > 0; documents = documents[width:] {
		alpha := documents[s.latent]
		if math.IsInf(alpha, -1) {
			continue // an empty document
		}
		for k := range weight {
			weight[k] = alpha
		}
		kernel.Combine(e.identity[:m], documents[:m], across, weight)
		kernel.Exp(weight, weight)
		kernel.Axpy(1, weight, sum[:s.stride])
		for j, u := range documents[:m] {
			kernel.Axpy(u, weight, sum[(j+1)*s.stride:][:s.stride])
		}
	}
	return sum
}

// newton makes one step for every ℓ_k (11.35), ρ·G·∇ with
//
//	∇ = factor·Σ_d (Σ_v X p_k − E β_k ω_kd) u_d − ℓ_k/σ²      G⁻¹ = I/σ² + factor·Σ_d E β_k ω_kd u_d u_dᵀ
//
// G⁻¹ is the negative Hessian for fixed p, and it is positive definite for any u and ω. The Hessian of the bound with
// the best p need not be negative definite, so it is not used. Where rounding makes G⁻¹ indefinite, its diagonal takes
// its place.
func (e *engine) newton(rho, factor float64) {
	s := e.s
	documents, m := e.b.Documents(), s.Options.Latent
	places := matrix.NewTall(documents, m)
	for d := range documents {
		copy(places.Row(d), e.u[d*s.latent:][:m])
	}
	kernel.Each(s.Options.Workers, s.Options.Topics, func(k int) {
		gradient, precision := e.locationGradient(places, k, factor), e.locationPrecision(places, k, factor)
		step := direction(precision, gradient)
		if !finite(step) {
			return // ℓ_k stays: the batch says nothing about it
		}
		for j, v := range step {
			s.locations[k*s.latent+j] += rho * v
		}
	})
	s.transpose(s.across, s.locations)
}

// locationGradient returns ∇_ℓk of the bound (11.30). The batch represents factor times as many documents.
func (e *engine) locationGradient(places *matrix.Tall, k int, factor float64) []float64 {
	s := e.s
	gradient := make([]float64, s.Options.Latent)
	for d := range places.Rows() {
		weight := factor * (e.resp[d*s.stride+k] - e.masses[k]*e.a[d*s.stride+k])
		for j, u := range places.Row(d) {
			gradient[j] += weight * u
		}
	}
	for j, v := range s.Location(k) {
		gradient[j] -= v / s.Options.Variance
	}
	return gradient
}

// locationPrecision returns G⁻¹ of topic k, m×m.
func (e *engine) locationPrecision(places *matrix.Tall, k int, factor float64) []float64 {
	s := e.s
	m := s.Options.Latent
	precision := kernel.GramGenerated(context.Background(), places, m, 1, func(dst []float64, d int) {
		weight := factor * e.masses[k] * e.a[d*s.stride+k]
		for j, u := range places.Row(d) {
			dst[j] = weight * u
		}
	})
	for j := range m {
		precision[j*m+j] += 1 / s.Options.Variance
	}
	return precision
}

// direction returns precision⁻¹·gradient. Where the precision is not positive definite it uses only the diagonal.
func direction(precision, gradient []float64) []float64 {
	m := len(gradient)
	var cholesky mat.Cholesky
	if finite(precision) && cholesky.Factorize(mat.NewSymDense(m, precision)) {
		step := mat.NewVecDense(m, nil)
		// gonum returns an error for an ill-conditioned factor. It does not matter: the step is checked to ascend.
		_ = cholesky.SolveVecTo(step, mat.NewVecDense(m, gradient))
		if v := step.RawVector().Data; finite(v) && dot(v, gradient) >= 0 {
			return v
		}
	}
	step := make([]float64, m)
	for j, g := range gradient {
		step[j] = g / precision[j*m+j]
	}
	return step
}
