// This file moves the topics' locations: correlated NMF.

package bayes

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

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
