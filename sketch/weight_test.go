package sketch

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// someWeights are weights of n items.
func someWeights(n int) []float64 {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 0.1 + 3*math.Abs(math.Sin(float64(i)))
	}
	return weights
}

// thinnedC is C of documents with weights, by pairs of tokens: two different tokens of a document, of items i and j,
// are drawn with a probability in proportion to ω_i·ω_j. A document of t tokens weighs t(t−1)/(t(t−1)+prior). mass is the
// sum of these.
func thinnedC(docs *corpus.Documents, weights []float64, prior float64) (c []float64, mass float64) {
	n := len(weights)
	c = make([]float64, n*n)
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		var tokens []int
		for t, item := range items {
			for range counts[t] {
				tokens = append(tokens, int(item))
			}
		}
		total := 0.0
		for a, i := range tokens {
			for b, j := range tokens {
				if a != b {
					total += weights[i] * weights[j]
				}
			}
		}
		if total == 0 {
			continue
		}
		of := float64(len(tokens) * (len(tokens) - 1))
		v := of / (of + prior)
		mass += v
		for a, i := range tokens {
			for b, j := range tokens {
				if a != b {
					c[i*n+j] += v * weights[i] * weights[j] / total
				}
			}
		}
	}
	for i := range c {
		c[i] /= mass
	}
	return c, mass
}

func TestWeightsThinDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		weights []float64
		prior   float64
	}{"items": {someWeights(60), 0}, "documents": {nil, 400}, "both": {someWeights(60), 400}} {
		t.Run(name, func(t *testing.T) { checkThinned(t, c.weights, c.prior) })
	}
}

func checkThinned(t *testing.T, weights []float64, prior float64) {
	const n, cols = 60, 40
	docs, all := drawn(n, 4, 150), weights
	if all == nil {
		all = slices.Repeat([]float64{1}, n)
	}
	want, mass := thinnedC(docs, all, prior)
	dense, marginals, err := Dense(context.Background(), inBatches(docs, 37), n, weights, prior, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := marginals.Total(); math.Abs(got-mass) > 1e-9*mass {
		t.Fatalf("C is divided by %v, want %v", got, mass)
	}
	p := marginals.Probabilities()
	total := 0.0
	for i := range n {
		rowSum := 0.0
		for j := range n {
			rowSum += want[i*n+j]
			if math.Abs(dense.Row(i)[j]-want[i*n+j]) > 1e-14 {
				t.Fatalf("C[%d,%d] is %v, want %v", i, j, dense.Row(i)[j], want[i*n+j])
			}
		}
		if math.Abs(p[i]-rowSum) > 1e-14 {
			t.Fatalf("p[%d] is %v, row sum %v", i, p[i], rowSum)
		}
		total += rowSum
	}
	if math.Abs(total-1) > 1e-12 {
		t.Fatalf("C sums to %v", total)
	}

	vocabulary := numbered(n)
	s, err := Accumulate(context.Background(), inBatches(docs, 20), vocabulary, Options{Columns: cols, Seed: 3,
		Weights: weights, PairPrior: prior, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	omegaRows := make([]float64, n*cols)
	for i := range n {
		setRow(s.omega(), omegaRows[i*cols:(i+1)*cols], i, vocabulary.Key(i))
	}
	product := kernel.Times(context.Background(), want, omegaRows, n, n, cols)
	for i := range n {
		for j := range cols {
			if got := s.Product.Row(i)[j] / mass; math.Abs(got-product[i*cols+j]) > 1e-13 {
				t.Fatalf("entry %d,%d of C·Ω is %v, want %v", i, j, got, product[i*cols+j])
			}
		}
	}
	eigen, err := s.Krylov(context.Background(), inBatches(docs, 20), 4, Options{Columns: cols, Passes: 3, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	checkPairs(t, "weighted", want, n, eigen, 1e-8)
}

func TestWeightsOfOneChangeNothing(t *testing.T) {
	const n = 60
	docs := drawn(n, 4, 150)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	want, _ := denseC(docs, n)
	got, _, err := Dense(context.Background(), inBatches(docs, 37), n, ones, 0, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range n {
			if math.Abs(got.Row(i)[j]-want[i*n+j]) > 1e-16 {
				t.Fatalf("C[%d,%d] is %v with weights of 1, %v without", i, j, got.Row(i)[j], want[i*n+j])
			}
		}
	}
}

func TestPairWeight(t *testing.T) {
	weights := []float64{2, 0, 0.5}
	for _, c := range []struct {
		items, counts []int32
		weights       []float64
		n, w          float64
	}{
		{nil, nil, nil, 0, 0},
		{[]int32{0}, []int32{1}, nil, 1, 0},
		{[]int32{0}, []int32{3}, nil, 3, 1.0 / 6},
		{[]int32{0}, []int32{3}, weights, 6, 1.0 / 24}, // 6 ordered pairs of weight 4
		{[]int32{0, 2}, []int32{1, 1}, weights, 2.5, 0.5},
		{[]int32{0, 1}, []int32{1, 5}, weights, 2, 0}, // one token of any weight
		{[]int32{1}, []int32{5}, weights, 0, 0},
	} {
		if n, w := PairWeight(c.items, c.counts, c.weights, 0); n != c.n || math.Abs(w-c.w) > 1e-15 {
			t.Errorf("%v %v %v: n %v and w %v, want %v and %v", c.items, c.counts, c.weights, n, w, c.n, c.w)
		}
	}
}

func TestMergeRefusesOtherWeights(t *testing.T) {
	const n = 20
	docs := drawn(n, 4, 50)
	make1 := func(weights []float64, prior float64) *Streamed {
		s, err := Stream(context.Background(), inBatches(docs, 37), numbered(n), StreamOptions{Columns: 8, Seed: 3,
			Weights: weights, PairPrior: prior})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, other := range []*Streamed{make1(nil, 0), make1(someWeights(n), 400)} {
		err := make1(someWeights(n), 0).Merge(other)
		var refused *MergeError
		if !errors.As(err, &refused) || refused.Difference != DifferentWeights {
			t.Errorf("sketches of different weights are merged: %v", err)
		}
	}
	if err := make1(someWeights(n), 400).Merge(make1(someWeights(n), 400)); err != nil {
		t.Error(err)
	}
}

// Documents of integer weights add to counts and to products with C what as many copies of them add.
func TestWeightsAreCopies(t *testing.T) {
	const n = 30
	docs := drawn(n, 3, 120)
	weighted, copied := *docs, &corpus.Documents{}
	for d := range docs.Documents() {
		copies := 1 + d%3
		weighted.Weights = append(weighted.Weights, float64(copies))
		for range copies {
			copied.Append(docs.Row(d))
		}
	}
	x := matrix.NewTall(n, 2)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = math.Sin(float64(i)), 1
	}
	for name, weights := range map[string][]float64{"equal": nil, "weighted": someWeights(n)} {
		marginals, products := make([]*Marginals, 2), make([]*matrix.Tall, 2)
		for i, pass := range []corpus.Pass{inBatches(&weighted, 17), inBatches(copied, 17)} {
			var err error
			if marginals[i], _, err = CountMarginals(t.Context(), pass, n, weights, 0); err != nil {
				t.Fatal(err)
			}
			products[i] = matrix.NewTall(n, 2)
			if err := (&Operator{Pass: pass, Marginals: marginals[i]}).Multiply(t.Context(), products[i], x); err != nil {
				t.Fatal(err)
			}
			for row := range n {
				for j := range products[i].Row(row) {
					products[i].Row(row)[j] *= marginals[i].Total()
				}
			}
		}
		if !near(marginals[0].RowSums, marginals[1].RowSums) || !near(marginals[0].Diagonal, marginals[1].Diagonal) {
			t.Errorf("%s: other marginals", name)
		}
		for row := range n {
			if !near(products[0].Row(row), products[1].Row(row)) {
				t.Fatalf("%s: another row %d of the product", name, row)
			}
		}
	}
}

// near reports whether all values are the same up to rounding.
func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-10*(1+math.Abs(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}
