package thinning

import (
	"fmt"
	"math"
	"testing"

	"anchorage/matrix"
	"anchorage/model"
	"anchorage/sketch"
)

// Thinned topics that are computed by the definition are converted back to the whole ones, and Undo undoes it.
func TestThinningAgainstDefinition(t *testing.T) {
	const n, k = 6, 2
	weights := []float64{0.5, 1, 2, 3, 0.7, 1.3}
	b := [n][k]float64{{0.4, 0.1}, {0.3, 0}, {0.1, 0.2}, {0.1, 0.3}, {0.1, 0.1}, {0, 0.3}}
	joint := []float64{0.4, 0.1, 0.1, 0.4}
	shares := []float64{0.5, 0.5}
	kept := [k]float64{}
	for i := range b {
		for topic, p := range b[i] {
			kept[topic] += weights[i] * p
		}
	}
	thinned, whole := matrix.NewTall(n, k), matrix.NewTall(n, k)
	p := make([]float64, n)
	for i := range b {
		for topic := range k {
			thinned.Row(i)[topic] = weights[i] * b[i][topic] / kept[topic]
			whole.Row(i)[topic] = b[i][topic]
			p[i] += shares[topic] * b[i][topic]
		}
	}
	thinJoint, total := make([]float64, k*k), 0.0
	for at, a := range joint {
		thinJoint[at] = a * kept[at/k] * kept[at%k]
		total += thinJoint[at]
	}
	for at := range thinJoint {
		thinJoint[at] /= total
	}
	thinShares := []float64{shares[0] * kept[0] / (shares[0]*kept[0] + shares[1]*kept[1]), 0}
	thinShares[1] = 1 - thinShares[0]
	thinP, mass := make([]float64, n), shares[0]*kept[0]+shares[1]*kept[1]
	for i := range thinP {
		thinP[i] = weights[i] * p[i] / mass
	}

	row := func(dst []float64, i int) { copy(dst, thinned.Row(i)) }
	conversion := New(t.Context(), nil, weights, k, row)
	got := make([]float64, k)
	for i := range n {
		row(got, i)
		conversion.Row(got, i)
		close10(t, fmt.Sprintf("row %d of B", i), got, b[i][:])
	}
	close10(t, "A", conversion.Joint(thinJoint), joint)
	close10(t, "A as it was", conversion.Thinned(joint), thinJoint)
	close10(t, "shares", conversion.Shares(thinShares), shares)
	close10(t, "p", conversion.Items(thinP), p)

	m := &model.Model{Marginals: sketch.Marginals{Weights: weights}, Mixtures: whole, Items: whole, TopicJoint: joint,
		Shares: shares, Probability: p, WeightedProbability: thinP}
	Undo(m)
	for i := range n {
		close10(t, fmt.Sprintf("thinned row %d", i), m.Items.Row(i), thinned.Row(i))
	}
	close10(t, "thinned A", m.TopicJoint, thinJoint)
	close10(t, "thinned shares", m.Shares, thinShares)
	close10(t, "thinned p", m.Probability, thinP)
}

func close10(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-10 {
			t.Fatalf("%s is %v, want %v", name, got, want)
		}
	}
}
