package synth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// estimateOf returns the truth as an estimate, with topic a being order[a] of the truth.
func estimateOf(truth *Truth, order []int) Estimate {
	k := truth.Topics
	b := dense(truth)
	e := Estimate{Row: func(dst []float64, r int) {
		for a, from := range order {
			dst[a] = b[r*k+from]
		}
	}}
	for _, from := range order {
		e.Anchors = append(e.Anchors, truth.Anchors[from][0])
		for _, to := range order {
			e.Correlations = append(e.Correlations, truth.Correlations[from*k+to])
		}
	}
	return e
}

func TestRecoverTruth(t *testing.T) {
	truth := Model{Items: 400, Topics: 5, Documents: 1, Seed: 1, Alpha: []float64{1, 0.2, 0.3, 2, 0.1}}.Plant().Truth
	order := []int{3, 0, 4, 1, 2}
	r := truth.Recover(estimateOf(truth, order))
	if !slices.Equal(r.Matched, order) || r.ErrorB > 1e-12 || math.Abs(r.Cosine-1) > 1e-12 || r.ErrorA > 1e-12 || math.Abs(r.Anchors-1) > 1e-12 {
		t.Errorf("the truth is recovered as %+v", r)
	}
	mass, items := 0.0, 0
	for _, class := range r.Class {
		mass += class.Mass
		items += class.Items
	}
	if math.Abs(mass-1) > 1e-12 || items != truth.Items {
		t.Errorf("the classes have %d items of mass %v", items, mass)
	}
}

// The errors agree with their definitions, computed densely.
func TestRecoverErrors(t *testing.T) {
	truth := Model{Items: 200, Topics: 4, Documents: 1, Seed: 2}.Plant().Truth
	k := truth.Topics
	rng := rand.New(rand.NewPCG(3, 4))
	learned, known := make([]float64, truth.Items*k), []int32{}
	for i := range truth.Items {
		if i%7 != 3 { // the others are not in the vocabulary
			known = append(known, int32(i))
		}
	}
	b := dense(truth)
	for _, i := range known {
		for c := range k {
			learned[int(i)*k+c] = b[int(i)*k+c]*(0.5+rng.Float64()) + 0.001*rng.Float64()
		}
	}
	e := estimateOf(truth, []int{0, 1, 2, 3})
	e.Items = known
	e.Row = func(dst []float64, r int) { copy(dst, learned[int(known[r])*k:]) }
	e.Anchors = []int{slices.Index(known, int32(truth.Anchors[0][0])), 0, 1, 2}
	e.Correlations = slices.Clone(e.Correlations)
	e.Correlations[1] += 0.1
	r := truth.Recover(e)
	class := truth.Class()
	var want [Classes]float64
	for i := range truth.Items {
		for c := range k {
			want[class[i]] += math.Abs(learned[i*k+c]-b[i*k+c]) / float64(k)
		}
	}
	cosine := 0.0
	for c := range k {
		dot, square, truths := 0.0, 0.0, 0.0
		for i := range truth.Items {
			x, y := learned[i*k+c], b[i*k+c]
			dot, square, truths = dot+x*y, square+x*x, truths+y*y
		}
		cosine += dot / math.Sqrt(square*truths) / float64(k)
	}
	if math.Abs(r.Cosine-cosine) > 1e-12 {
		t.Errorf("the cosine is %v, want %v", r.Cosine, cosine)
	}
	for c, w := range want {
		if math.Abs(r.Class[c].Error-w) > 1e-12 {
			t.Errorf("class %d has error %v, want %v", c, r.Class[c].Error, w)
		}
	}
	norm := 0.0
	for _, v := range truth.Correlations {
		norm += v * v
	}
	if w := 0.1 / math.Sqrt(norm); math.Abs(r.ErrorA-w) > 1e-12 {
		t.Errorf("A has error %v, want %v", r.ErrorA, w)
	}
	if truth.Anchors[0][0]%7 == 3 || r.Anchors != 0.25 {
		t.Errorf("%v of the anchors are recovered", r.Anchors)
	}
}
