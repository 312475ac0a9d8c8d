// This file holds the stochastic algorithms, which make one step per batch.

package bayes

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/bayes/internal/batch"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// statistics are the sums over a batch from which the global variables are learned. The sums by item and topic, Σ_d X
// p, are not held; addRows computes them row by row.
type statistics struct {
	documents int
	totals    []float64    // K: Σ_v Σ_d X p
	omega     []float64    // K: Σ_d E ω_kd; nil for LDA
	joint     []float64    // K×K: the mean of the products of shares; nil if no document has a token
	shares    *matrix.Tall // scratch: shares of every document that is not empty
}

// gather computes the statistics of the batch, after infer.
func (e *engine) gather(st *statistics) {
	o := &e.s.Options
	st.documents = e.b.Documents()
	st.totals = batch.Resize(st.totals, o.Topics)
	clear(st.totals)
	if e.s.rates != nil {
		st.omega = batch.Resize(st.omega, o.Topics)
		clear(st.omega)
	}
	if st.shares == nil || st.shares.Rows() != st.documents {
		st.shares = matrix.NewTall(st.documents, o.Topics)
	}
	full := 0
	for d := range st.documents {
		l := e.local(d, 0, 0)
		for k := range st.totals {
			st.totals[k] += l.resp[k]
		}
		for k := range st.omega {
			st.omega[k] += l.a[k]
		}
		row := st.shares.Row(d)
		clear(row)
		if e.b.Offsets[d+1] > e.b.Offsets[d] {
			e.shares(row, l)
			full++
		}
	}
	if o.Model == BNMF {
		for k := range st.omega {
			st.omega[k] /= e.s.localRate(k)
		}
	}
	st.joint = nil
	if full > 0 {
		st.joint = kernel.Gram(context.Background(), st.shares, st.shares, e.s.Options.Workers)
		for i := range st.joint {
			st.joint[i] /= float64(full)
		}
	}
}

// addRows adds Σ_d X p of every item, times a factor, to its row of to. It overwrites norms.
func (e *engine) addRows(to *matrix.Tall, factor float64) {
	stride := e.s.stride
	e.b.Index()
	// Σ_d X p is the item's row of the table times Σ_d (X/norm)·t, entry by entry. So norms become weights.
	for i, c := range e.b.Counts {
		e.norms[i] = c / e.norms[i]
	}
	rows := len(e.b.Items)
	kernel.Each(e.s.Options.Workers, (rows+rowBlock-1)/rowBlock, func(block int) {
		sum, weights := make([]float64, stride), []float64(nil)
		for r := block * rowBlock; r < min((block+1)*rowBlock, rows); r++ {
			first, last := e.b.Starts[r], e.b.Starts[r+1]
			weights = weights[:0]
			for _, entry := range e.b.ByRow[first:last] {
				weights = append(weights, e.norms[entry])
			}
			clear(sum)
			kernel.Combine(e.b.Owner[first:last], weights, e.t, sum)
			row := to.Row(int(e.b.Items[r]))
			for k, v := range e.table[r*stride:][:len(row)] {
				row[k] += factor * v * sum[k]
			}
		}
	})
}

// step learns from the batch by (11.33), (11.34) and (11.35) with step size rho. The error is that of ctx; then the
// state is unchanged.
func (e *engine) step(ctx context.Context, st *statistics, rho float64) error {
	s := e.s
	if err := e.infer(ctx); err != nil {
		return err
	}
	e.gather(st)
	factor := float64(s.Corpus.Documents) / float64(st.documents)
	if s.locations != nil {
		e.newton(rho, factor)
	}
	e.addRows(s.excess, s.blend(rho, factor, st.totals))
	for k, omega := range st.omega {
		s.rates[k] = (1-rho)*s.rates[k] + rho*(s.Options.C0+factor*omega)
	}
	if st.joint != nil {
		share := rho
		if floats.Max(s.joint) == 0 { // those of the first batch replace the zeros
			share = 1
		}
		for i, v := range st.joint {
			s.joint[i] = (1-share)*s.joint[i] + share*v
		}
	}
	if s.Options.LearnPriors {
		e.learnPriors(rho)
	}
	s.Step++
	s.Seen += int64(st.documents)
	return nil
}

// finite reports whether no value is NaN or infinite.
func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
