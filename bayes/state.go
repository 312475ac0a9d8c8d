// This file holds the global variables: how they begin, how a step changes them, and what can be read from them.

package bayes

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// State is the global variables of a model.
type State struct {
	Options Options
	Corpus  Totals
	Step    int64 // batches learned from, or iterations of the batch algorithm
	Seen    int64 // documents in them, counted each time

	excess    *matrix.Tall // V×K: (g − c₀/V)/scale, so that a step need not touch items that it does not have
	scale     float64
	sums      []float64 // K: Σ_v g_vk
	rates     []float64 // K: h; nil for LDA, which has none
	locations []float64 // ℓ, K rows of latentStride values; nil except for CNMF
	across    []float64 // the transpose of locations, m rows of stride values
	joint     []float64 // K×K: the mean over documents of the products of two topics' shares
	stride    int       // K, padded
	latent    int       // stride of locations: m, padded
}

// NewState returns global variables that begin at random: the prior plus Uniform(0,1) numbers, scaled so that Σ_vk g_vk
// is c₀K plus the number of tokens, as after a step. It panics at options that Check refuses.
func NewState(o Options, c Totals) *State {
	s := newState(o, c)
	k := float64(s.Options.Topics)
	size := 2 * float64(c.Tokens) / (float64(c.Items) * k) // the mean of a uniform number is ½
	for v := range c.Items {
		row := s.excess.Row(v)
		key := c.Key(v)
		for j := range row {
			row[j] = size * random.Uniform(s.Options.Seed, random.BayesTopics, key, uint64(j))
		}
	}
	s.complete()
	for j := range s.rates {
		s.rates[j] = s.Options.C0 + float64(c.Tokens)/k
	}
	return s
}

// RestoreState returns a copy of a state that was stored: row(dst, v) sets dst, K values, to what its Row(v) was, and
// rates (K), locations (K×m) and joint (K×K) are what its methods returned. It panics at options that Check refuses.
func RestoreState(o Options, c Totals, row func(dst []float64, v int), rates, locations, joint []float64) *State {
	s := newState(o, c)
	prior := s.prior()
	for v := range c.Items {
		to := s.excess.Row(v)
		row(to, v)
		for k := range to {
			to[k] -= prior
		}
	}
	s.complete()
	copy(s.rates, rates)
	copy(s.joint, joint)
	if s.locations != nil {
		for k := range s.Options.Topics {
			copy(s.Location(k), locations[k*s.Options.Latent:])
		}
		s.transpose(s.across, s.locations)
	}
	return s
}

// newState returns a state whose excess, sums and rates are not set.
func newState(o Options, c Totals) *State {
	if err := o.Check(); err != nil {
		panic("bayes: " + err.Error())
	}
	o = o.withDefaults(c.Items)
	s := &State{Options: o, Corpus: c, excess: matrix.NewTall(c.Items, o.Topics), scale: 1,
		joint: make([]float64, o.Topics*o.Topics)}
	s.stride, s.latent = aligned.Columns[float64](o.Topics), aligned.Columns[float64](o.Latent)
	s.sums = make([]float64, o.Topics)
	if o.Model != LDA {
		s.rates = make([]float64, o.Topics)
	}
	if o.Model != CNMF {
		return s
	}
	s.locations, s.across = make([]float64, o.Topics*s.latent), make([]float64, o.Latent*s.stride)
	deviation := math.Sqrt(o.Variance)
	for k := range o.Topics {
		for j := range o.Latent {
			s.locations[k*s.latent+j] = deviation * random.Normal(o.Seed, random.BayesLocations, uint64(k), uint64(j))
		}
	}
	s.transpose(s.across, s.locations)
	return s
}

// complete sets sums to what excess adds up to.
func (s *State) complete() {
	for j, sum := range kernel.ColumnSums(context.Background(), s.excess, s.Options.Workers) {
		s.sums[j] = s.scale*sum + s.Options.C0
	}
}

// transpose sets dst, m rows of stride values, to the transpose of locations, K rows of latent values.
func (s *State) transpose(dst, locations []float64) {
	for k := range s.Options.Topics {
		for j := range s.Options.Latent {
			dst[j*s.stride+k] = locations[k*s.latent+j]
		}
	}
}

// prior returns c₀/V.
func (s *State) prior() float64 { return s.Options.C0 / float64(s.Corpus.Items) }

// Row sets dst, K values, to row v of g.
func (s *State) Row(dst []float64, v int) {
	prior := s.prior()
	for j, x := range s.excess.Row(v) {
		dst[j] = prior + s.scale*x
	}
}

// mass returns Σ_v E β_vk: Σ_v g_vk/h_k, and 1 with LDA.
func (s *State) mass(k int) float64 {
	if s.rates == nil {
		return 1
	}
	return s.sums[k] / s.rates[k]
}

// blend makes the part of g ← (1−ρ)g + ρ{c₀/V + factor·Σ X p} that applies to all items, with totals = Σ_v Σ_d X p. It
// returns the factor by which the sums of an item must be multiplied before they are added to its row of excess.
func (s *State) blend(rho, factor float64, totals []float64) float64 {
	s.scale *= 1 - rho
	switch {
	case s.scale == 0:
		s.excess.Clear()
		s.scale = 1
	case s.scale < 1e-100: // long before a division by it loses digits
		for b := range s.excess.Blocks() {
			values, _, _ := s.excess.Block(b)
			floats.Scale(s.scale, values)
		}
		s.scale = 1
	}
	for k, total := range totals {
		s.sums[k] = (1-rho)*s.sums[k] + rho*(s.Options.C0+factor*total)
	}
	return rho * factor / s.scale
}

// Correlation returns the correlation of two topics' locations, ℓ_i·ℓ_j/(‖ℓ_i‖‖ℓ_j‖) (11.36), 0 where one is zero. Only
// correlated NMF has locations.
func (s *State) Correlation(i, j int) float64 {
	a, b := s.Location(i), s.Location(j)
	if product := math.Sqrt(dot(a, a) * dot(b, b)); product > 0 {
		return dot(a, b) / product
	}
	return 0
}

// Location returns ℓ_k, m values, and nil for models other than correlated NMF. It aliases the state.
func (s *State) Location(k int) []float64 {
	if s.locations == nil {
		return nil
	}
	return s.locations[k*s.latent:][:s.Options.Latent:s.Options.Latent]
}

// Rate returns h_k, or NaN with LDA, which has none.
func (s *State) Rate(k int) float64 {
	if s.rates == nil {
		return math.NaN()
	}
	return s.rates[k]
}

// Joint returns the K×K joint probabilities of topics, row-major: the mean over documents of the product of two topics'
// shares, weighted as the steps were. They sum to 1, and to 0 before the first step.
func (s *State) Joint() []float64 { return slices.Clone(s.joint) }

// MeanRow sets dst, K values, to p(item v | topic) = g_vk/Σ_v g_vk.
func (s *State) MeanRow(dst []float64, v int) {
	s.Row(dst, v)
	for k := range dst {
		dst[k] /= s.sums[k]
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
