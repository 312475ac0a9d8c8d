// This file repairs topics of which two share one true topic, or one has nearly nothing, while another covers two:
// local optima of the likelihood that passes leave slowly or never.

package refine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// repairGain is the gain of a pass, in nats per token, below which repairs may begin.
	repairGain = 10 * settledGain
	// cheap is the cost of a merger, relative to that of two topics of 1/K that have nothing in common, below which it is
	// tried.
	cheap = 0.4
)

// merger is a pair of topics that may become one.
type merger struct {
	a, b int
	cost float64
}

// mergers returns pairs of topics whose merger is cheap, the cheapest first. No topic is in two. The cost of topics k
// and l is
//
//	p_k·p_l/(p_k + p_l)·(1 − cos(k, l))    cos(k, l) = g_kl/√(g_kk g_ll)    g_kl = Σ_i n_i B̆_ik B̆_il
//
// which is half of 1/K for topics of 1/K that have nothing in common, and 0 for duplicates and for empty topics.
func (r *refiner) mergers(ctx context.Context) ([]merger, error) {
	sum := kernel.NewTreeSum(r.sums.Blocks(), r.k*r.k)
	for b := range r.sums.Held() {
		_, first, last := r.sums.Block(b)
		rows := matrix.NewTall(last-first, r.k)
		for j := range rows.Rows() {
			row := rows.Row(j)
			total := r.mixture(row, first+j)
			for k := range row {
				row[k] *= math.Sqrt(total)
			}
		}
		sum.Add(b, kernel.Gram(ctx, rows, rows, r.options.Workers))
	}
	g, err := sum.Total(ctx, r.layout)
	if err != nil {
		return nil, err
	}
	var all []merger
	for a, p := range r.shares {
		for b, q := range r.shares[:a] {
			cosine := g[a*r.k+b] / math.Sqrt(max(g[a*r.k+a]*g[b*r.k+b], 1e-300))
			if cost := p * q / (p + q) * (1 - cosine); cost < cheap/(2*float64(r.k)) {
				all = append(all, merger{a, b, cost})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y merger) int { return cmp.Compare(x.cost, y.cost) })
	used, out := make([]bool, r.k), all[:0]
	for _, m := range all {
		if !used[m.a] && !used[m.b] {
			used[m.a], used[m.b] = true, true
			out = append(out, m)
		}
	}
	return out, ctx.Err()
}

// repairs reports whether to try a repair: once the likelihood hardly rises, if passes are left to learn from it.
func (r *refiner) repairs() bool {
	return r.rounds < r.options.Repairs && r.found.For == ForPrediction && r.options.Passes == 0 && r.k > 2 &&
		r.gain < repairGain && r.found.Passes > 1 && r.found.Passes-r.lost+2*powerPasses < MostPasses
}

// repair makes a round of repairs: it merges the pairs of topics that cost least, and gives each topic that has become
// free a part of one that splits well. If none could be made, this was the last round.
func (r *refiner) repair(ctx context.Context) error {
	if r.splits == nil {
		r.rounds++
		mergers, err := r.mergers(ctx)
		if err != nil || len(mergers) == 0 {
			r.rounds = r.options.Repairs
			return err
		}
	}
	s, err := r.findSplits(ctx)
	if err != nil {
		return err
	}
	mergers, err := r.mergers(ctx)
	if err != nil {
		return err
	}
	made, err := r.try(ctx, mergers, s)
	if r.found.Repairs += made; made == 0 {
		r.rounds = r.options.Repairs
	}
	return err
}

// try makes repairs and the pass that follows. If the likelihood does not rise by more than in the pass before, it puts
// the topics back and tries half as many, the first ones. It returns how many it made. It needs s no more.
func (r *refiner) try(ctx context.Context, mergers []merger, s *splits) (made int, err error) {
	before, likelihood, gain := s.sum, r.last, max(r.gain, settledGain)
	joint, shares, alpha := r.found.Joint, r.shares, slices.Clone(r.alpha)
	copyRows(before, r.sums)
	for count := len(mergers); count > 0; count /= 2 {
		made, err := r.apply(ctx, mergers[:count], s)
		if err != nil {
			return 0, err
		}
		if err := r.renew(ctx); err != nil {
			return 0, err
		}
		if err := r.runPass(ctx); err != nil {
			return 0, err
		}
		if r.last > likelihood+gain {
			return made, nil
		}
		copyRows(r.sums, before)
		copy(r.alpha, alpha)
		r.shares = shares
		r.found.Joint, r.found.Settled, r.last, r.gain = joint, false, likelihood, gain
		r.lost++
		if err := r.renew(ctx); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// apply changes n and α so that the topics of each merger become its first, and its second a part of another topic: of
// that with the highest p(topic)·score first, then of the next one. Of topic k with the direction v, the part takes the
// share 1/(1 + e^(−2v_i)) of item i. It returns how many repairs it made.
func (r *refiner) apply(ctx context.Context, mergers []merger, s *splits) (made int, err error) {
	var whole []int // the topics to split
	for k := range r.k {
		if !slices.ContainsFunc(mergers, func(m merger) bool { return m.a == k || m.b == k }) {
			whole = append(whole, k)
		}
	}
	slices.SortStableFunc(whole, func(a, b int) int {
		return cmp.Compare(s.scores[b]*r.shares[b], s.scores[a]*r.shares[a])
	})
	made = min(len(mergers), len(whole))
	err = r.each(ctx, func(_ []float64, i int) {
		row, v := r.sums.Row(i), s.v.Row(i)
		for j, m := range mergers[:made] {
			k := whole[j]
			row[m.a] += row[m.b]
			row[m.b] = row[k] * float32(1/(1+math.Exp(-2*float64(v[k]))))
			row[k] -= row[m.b]
		}
	})
	for j, m := range mergers[:made] {
		k := whole[j]
		r.alpha[m.a] += r.alpha[m.b]
		r.alpha[m.b] = r.alpha[k] / 2
		r.alpha[k] /= 2
	}
	return made, err
}

// copyRows sets dst to src.
func copyRows(dst, src *matrix.Single) {
	for b := range src.Held() {
		to, _, _ := dst.Block(b)
		from, _, _ := src.Block(b)
		copy(to, from)
	}
}
