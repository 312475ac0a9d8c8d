// This file selects the anchors: the first K pivots of a QR decomposition with column pivoting.

package anchor

import (
	"context"
	"fmt"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// machinePrecision is the distance from 1 to the next float64.
const machinePrecision = 0x1p-52

// pivoting is a column-pivoted QR decomposition of Xᵀ (L×N, column i is scale_i·x_i) under way: the directions so far,
// and the norm of every column without its components along them.
//
// Without noise the score of a column is this norm. With noise it is a lower bound of the norm: the root of its square
// minus boundDeviations² times the variance that falls to the directions not yet taken.
//
// A norm is only brought up to date if its column may be the next pivot. Norms never grow. So a column cannot be the
// pivot if its outdated norm gives it a lower score than another column has with an up-to-date norm. Which columns are
// updated depends only on the values.
type pivoting struct {
	x          *matrix.Tall // processes that share it have the norms of the columns that they hold, and all directions
	scale      []float64    // 1/d_i; 0 for columns that may not be selected
	noise      []float64    // variance of column i; nil for none
	directions [][]float64  // orthonormal, of length L
	norm       []float64    // of column i without its components along the first applied[i] directions
	exact      []float64    // norm[i] when it was last computed from the column
	applied    []int32
	negligible float64   // norms up to this value may be rounding errors, and are set to 0
	buffers    []float64 // L values for every range that is held
}

// boundDeviations is how many standard deviations of its noise the score of a column is below its norm.
const boundDeviations = 2

// pivot is a selected column.
type pivot struct {
	item    int
	norm    float64 // |R_kk|: the norm without the components along the pivots before
	margin  float64 // 1 − the runner-up's score/its own score
	certain bool    // its score with noise is positive: it is more than noise
}

// selectPivots returns the k columns that QR with column pivoting selects (Businger & Golub 1965), in order: each time
// the column with the greatest score, and of equal columns the first. When no score is positive any more, the selection
// continues by norms.
//
// The numerical rank is the number of pivots above max(N, L)·ε·|R_11|, with ε the machine precision: the usual bound on
// what rounding leaves of a column that depends on the others. If it is less than k, the error is a *RankError.
func selectPivots(ctx context.Context, x *matrix.Tall, scale []float64, k int, opts *Options) ([]pivot, error) {
	n, width := x.Dims()
	p := &pivoting{x: x, scale: scale, noise: opts.SamplingVariance, norm: make([]float64, n), exact: make([]float64, n),
		applied: make([]int32, n),
		buffers: make([]float64, heldRanges(x.Layout(), n)*width)}
	if err := p.start(ctx, opts); err != nil {
		return nil, err
	}
	selected, err := p.fix(ctx, opts)
	if err != nil {
		return nil, err
	}
	done := opts.progress(StagePivots, k)
	for len(selected) < k {
		next, err := p.next(ctx, opts.Workers)
		if err != nil {
			return nil, err
		}
		if next.item < 0 && p.noise != nil {
			p.noise = nil
			if next, err = p.next(ctx, opts.Workers); err != nil {
				return nil, err
			}
		}
		next.certain = p.noise != nil
		if next.item >= 0 {
			if next.norm, err = p.add(ctx, next.item); err != nil {
				return nil, err
			}
		}
		if len(selected) == 0 {
			p.negligible = float64(max(n, width)) * machinePrecision * next.norm
		}
		if next.norm <= p.negligible {
			rank := len(selected)
			return nil, &RankError{Topics: k, Rank: rank, bound: fmt.Sprintf("the co-occurrence rows of the candidates have "+
				"only rank %d", rank)}
		}
		selected = append(selected, next)
		done.add(1)
	}
	return selected, nil
}

// fix takes the mean columns of fixed groups as the first pivots. Their items cannot be selected any more.
func (p *pivoting) fix(ctx context.Context, opts *Options) (selected []pivot, err error) {
	for a, group := range opts.Fixed {
		rows, err := kernel.RowsOf(ctx, p.x, group)
		if err != nil {
			return nil, err
		}
		v := make([]float64, p.x.Cols())
		for at, i := range group {
			addScaled(v, p.scale[i]/float64(len(group)), rows[at*len(v):][:len(v)])
			p.norm[i] = 0
		}
		length := math.Sqrt(kernel.Dot(v, v))
		norm := p.extend(v)
		if a == 0 {
			p.negligible = float64(max(len(p.scale), len(v))) * machinePrecision * norm
		}
		if norm <= max(p.negligible, sameRow*length) {
			return nil, opts.itemError(NoCorner, group, "to be the anchor of a topic together, but their mean row is a "+
				"combination of the rows of other such topics")
		}
		selected = append(selected, pivot{item: group[0], norm: norm, certain: p.noise != nil})
	}
	return selected, nil
}

// score returns the score of column i by its present norm, 0 if it cannot be selected.
func (p *pivoting) score(i int) float64 {
	norm := p.norm[i]
	if p.noise == nil || norm == 0 {
		return norm
	}
	width := p.x.Cols()
	left := float64(width-len(p.directions)) / float64(width)
	return math.Sqrt(max(norm*norm-boundDeviations*boundDeviations*left*p.noise[i], 0))
}

// start computes the norms of all columns.
func (p *pivoting) start(ctx context.Context, opts *Options) error {
	return eachItem(ctx, p.x.Layout(), opts.Workers, len(p.norm), func(i int) error {
		if p.scale[i] == 0 {
			return nil
		}
		row := p.x.Row(i)
		norm := math.Sqrt(kernel.Dot(row, row)) * math.Abs(p.scale[i])
		if !finite(norm) {
			return opts.itemError(TinyRowSum, []int{i}, tooSmall)
		}
		p.norm[i], p.exact[i] = norm, norm
		return nil
	})
}

// next returns the column with the greatest score and its margin. Its item is −1 if no score is positive.
func (p *pivoting) next(ctx context.Context, workers int) (pivot, error) {
	best := make([]contest, heldRanges(p.x.Layout(), len(p.norm)))
	// The column of each range with the greatest outdated score is a good guess. The second best of these guesses is a
	// bound for all columns.
	err := eachRange(ctx, p.x.Layout(), workers, len(p.norm), func(part, first, last int) error {
		leader := first
		for i := first + 1; i < last; i++ {
			if p.score(i) > p.score(leader) {
				leader = i
			}
		}
		p.update(leader, p.buffer(part))
		best[part] = newContest()
		best[part].offer(leader, p.score(leader))
		return nil
	})
	if err != nil {
		return pivot{}, err
	}
	guess, err := winners(ctx, p.x.Layout(), best)
	if err != nil {
		return pivot{}, err
	}
	bound := guess.score[1]
	err = eachRange(ctx, p.x.Layout(), workers, len(p.norm), func(part, first, last int) error {
		c, bound := newContest(), bound
		for i := first; i < last; i++ {
			if p.norm[i] == 0 || p.score(i) < bound {
				continue
			}
			p.update(i, p.buffer(part))
			c.offer(i, p.score(i))
			bound = max(bound, c.score[1])
		}
		best[part] = c
		return nil
	})
	if err != nil {
		return pivot{}, err
	}
	final, err := winners(ctx, p.x.Layout(), best)
	if err != nil {
		return pivot{}, err
	}
	found := pivot{item: final.item[0]}
	if found.item >= 0 {
		found.margin = 1 - final.score[1]/final.score[0]
	}
	return found, nil
}

// buffer returns the scratch of a range.
func (p *pivoting) buffer(part int) []float64 {
	width := p.x.Cols()
	return p.buffers[part*width : (part+1)*width]
}

// update brings norm[i] up to date: by Pythagoras for one direction after another, or from the column itself if the
// difference would lose more than half of its digits (as LAPACK's dgeqp3 does: Drmač & Bujanović, ACM Trans. Math.
// Softw. 35, 2008). Buffer has L values and is overwritten.
func (p *pivoting) update(i int, buffer []float64) {
	row := p.x.Row(i)
	for ; int(p.applied[i]) < len(p.directions) && p.norm[i] > 0; p.applied[i]++ {
		component := kernel.Dot(p.directions[p.applied[i]], row) * p.scale[i] / p.norm[i]
		left := max(0, 1-component*component)
		ratio := p.norm[i] / p.exact[i]
		if left*ratio*ratio <= 0x1p-26 {
			p.applied[i] = int32(len(p.directions))
			p.norm[i] = p.orthogonal(i, buffer)
			p.exact[i] = p.norm[i]
			break
		}
		p.norm[i] *= math.Sqrt(left)
	}
	if p.norm[i] <= p.negligible {
		p.norm[i] = 0
	}
}

// orthogonal sets v to column i without its components along the directions, and returns its norm.
func (p *pivoting) orthogonal(i int, v []float64) float64 {
	for j, value := range p.x.Row(i) {
		v[j] = value * p.scale[i]
	}
	p.project(v)
	return math.Sqrt(kernel.Dot(v, v))
}

// project subtracts the components of v along the directions.
func (p *pivoting) project(v []float64) {
	for _, direction := range p.directions {
		component := kernel.Dot(direction, v)
		for j, q := range direction {
			v[j] -= component * q
		}
	}
}

// add makes what is left of column i the next direction, and returns its norm. The column cannot be selected again. The
// second projection, in extend, removes what rounding left of the earlier directions; a third would change nothing
// (Giraud & al. 2005).
func (p *pivoting) add(ctx context.Context, i int) (float64, error) {
	v, err := kernel.RowsOf(ctx, p.x, []int{i})
	if err != nil {
		return 0, err
	}
	for j := range v {
		v[j] *= p.scale[i]
	}
	p.project(v)
	p.norm[i] = 0
	return p.extend(v), nil
}

// extend makes what is left of v the next direction, and returns its norm. V is used up.
func (p *pivoting) extend(v []float64) float64 {
	if len(p.directions) > 0 {
		p.project(v)
	}
	norm := math.Sqrt(kernel.Dot(v, v))
	if norm > 0 {
		for j := range v {
			v[j] /= norm
		}
		p.directions = append(p.directions, v)
	}
	return norm
}
