// This file holds what was learned against the truth.

package synth

import (
	"math"
	"slices"
)

// Estimate is what was learned from a corpus.
type Estimate struct {
	Items        []int32                    // the item of each row of B; nil for all in their order
	Row          func(dst []float64, r int) // sets dst, K values that are not negative, to a row of B
	Correlations []float64                  // A, K×K
	Anchors      []int                      // of each topic, as a row of B
}

// The classes of items by frequency: with the most frequent items first, common ones hold the first half of all tokens,
// middling ones go on to 90 %, and the others are rare.
const (
	Common = iota
	Middling
	Rare
	Classes
)

// classEnds are the shares of all tokens at which classes end.
var classEnds = [Classes - 1]float64{0.5, 0.9}

// Recovery says how near an Estimate is to the Truth once topics are matched so that ErrorB is as small as can be.
type Recovery struct {
	Matched []int   // the true topic of each one learned
	ErrorB  float64 // mean over the topics of ‖b̂_k − b_k‖₁, from 0 to 2
	// ErrorA is ‖Â − A‖_F/‖A‖_F.
	ErrorA  float64
	Anchors float64 // share of the topics whose anchor is an anchor of the topic matched
	Class   [Classes]ClassRecovery
}

// ClassRecovery is the part of one class of items in the topics, averaged over these.
type ClassRecovery struct {
	Items int
	Mass  float64 // Σ_i B_ik over its items
	Error float64 // Σ_i |B̂_ik − B_ik| over its items: their sum over the classes is ErrorB
}

// Relative returns the error in proportion to the mass.
func (c ClassRecovery) Relative() float64 { return c.Error / c.Mass }

// Class returns the class of every item.
func (t *Truth) Class() []int {
	order := make([]int, t.Items)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case t.Probabilities[a] > t.Probabilities[b]:
			return -1
		case t.Probabilities[a] < t.Probabilities[b]:
			return 1
		}
		return 0
	})
	class := make([]int, t.Items)
	at, mass := 0, 0.0
	for _, i := range order {
		for at < len(classEnds) && mass >= classEnds[at] {
			at++
		}
		class[i] = at
		mass += t.Probabilities[i]
	}
	return class
}

// Recover holds an estimate with as many topics against the truth. Items that the estimate does not have count as if it gave
// them no probability. It takes O(N·K) time for the learned B, O(K) for every entry of the true one, and O(K³).
func (t *Truth) Recover(e Estimate) Recovery {
	k := t.Topics
	if len(e.Correlations) != k*k || len(e.Anchors) != k {
		panic("synth: an estimate with another number of topics")
	}
	class := t.Class()
	r := Recovery{Matched: Assign(t.distances(&e), k)}
	for i, c := range class {
		r.Class[c].Items++
		_, values := t.Row(i)
		for _, v := range values {
			r.Class[c].Mass += v / float64(k)
			r.Class[c].Error += v / float64(k)
		}
	}
	learned := make([]int, k) // of each true topic
	for a, b := range r.Matched {
		learned[b] = a
	}
	t.eachRow(&e, func(i int, row []float64, topics []int32, values []float64) {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		for j, b := range topics {
			v := row[learned[b]]
			sum += math.Abs(v-values[j]) - v - values[j]
		}
		r.Class[class[i]].Error += sum / float64(k)
	})
	for _, c := range r.Class {
		r.ErrorB += c.Error
	}
	difference, norm := 0.0, 0.0
	for a, b := range r.Matched {
		for c, d := range r.Matched {
			v := t.Correlations[b*k+d]
			difference += (e.Correlations[a*k+c] - v) * (e.Correlations[a*k+c] - v)
			norm += v * v
		}
		if slices.Contains(t.Anchors[b], e.item(e.Anchors[a])) {
			r.Anchors += 1 / float64(k)
		}
	}
	r.ErrorA = math.Sqrt(difference / norm)
	return r
}

// distances returns ‖b̂_a − b_b‖₁ for all learned topics a and true ones b, K×K. Where B is zero, |B̂ − B| is B̂: so the sums
// over all items are those of the two columns, corrected at the entries of the sparse B.
func (t *Truth) distances(e *Estimate) []float64 {
	k := t.Topics
	d := make([]float64, k*k)
	sums := make([]float64, k)
	t.eachRow(e, func(_ int, row []float64, topics []int32, values []float64) {
		for a, v := range row {
			sums[a] += v
		}
		for j, b := range topics {
			w := values[j]
			for a, v := range row {
				d[a*k+int(b)] += math.Abs(v-w) - v - w
			}
		}
	})
	for a, sum := range sums {
		for b := range k {
			d[a*k+b] += sum + 1
		}
	}
	return d
}

// eachRow calls fn for every row of the estimate with its item, the row, and the row of the truth.
func (t *Truth) eachRow(e *Estimate, fn func(i int, row []float64, topics []int32, values []float64)) {
	count := t.Items
	if e.Items != nil {
		count = len(e.Items)
	}
	row := make([]float64, t.Topics)
	for r := range count {
		e.Row(row, r)
		i := e.item(r)
		topics, values := t.Row(i)
		fn(i, row, topics, values)
	}
}

// item returns the item of row r.
func (e *Estimate) item(r int) int {
	if e.Items == nil {
		return r
	}
	return int(e.Items[r])
}
