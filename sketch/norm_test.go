package sketch

import (
	"context"
	"math"
	"testing"

	"anchorage/matrix"
)

// TestNormsAgainstDense holds the norms of documents' parts of C, and what eigenpairs leave of C, against C.
func TestNormsAgainstDense(t *testing.T) {
	const n, k = 60, 4
	docs := drawn(n, k, 400)
	for name, weights := range map[string][]float64{"equal": nil, "weighted": someWeights(n)} {
		norms := &PairNorms{Weights: weights}
		opts := Options{Columns: 40, Seed: 3, Weights: weights, Passes: 6, Workers: 2}
		pass := inBatches(docs, 37)
		s, err := Accumulate(context.Background(), norms.Watch(pass), numbered(n), opts)
		if err != nil {
			t.Fatal(err)
		}
		squares, err := s.ColumnSquares(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		marginals := &s.Marginals
		eigen, err := s.Krylov(context.Background(), pass, k, opts)
		if err != nil {
			t.Fatal(err)
		}
		rest, deviation := s.Rest(context.Background(), eigen, squares, 3)

		c, identity := matrix.NewTall(n, n), matrix.NewTall(n, n)
		for i := range n {
			identity.Row(i)[i] = 1
		}
		operator := Operator{Pass: pass, Marginals: marginals}
		if err := operator.Multiply(context.Background(), c, identity); err != nil {
			t.Fatal(err)
		}
		want, square := 0.0, 0.0
		for i := range n {
			for j, v := range c.Row(i) {
				square += v * v
				for q, value := range eigen.Values {
					v -= value * eigen.Vectors.Row(i)[q] * eigen.Vectors.Row(j)[q]
				}
				want += v * v
			}
		}
		if math.Abs(rest-want) > 4*deviation || deviation > 0.1*want {
			t.Errorf("%s: the rest is %v ± %v, want %v", name, rest, deviation, want)
		}

		part, documents := 0.0, int64(0)
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			_, w := PairWeight(items, counts, weights)
			if w == 0 {
				continue
			}
			documents++
			for a, item := range items {
				for b, other := range items {
					h := float64(counts[b])
					if a == b {
						h--
					}
					v := w * float64(counts[a]) * h
					if weights != nil {
						v *= weights[item] * weights[other]
					}
					part += v * v
				}
			}
		}
		if math.Abs(norms.Squares-part) > 1e-10*part || norms.Documents != documents {
			t.Errorf("%s: %d documents have %v, want %d and %v", name, norms.Documents, norms.Squares, documents, part)
		}
		if noise, want := norms.Noise(square), (part/float64(documents)-square)/float64(documents-1); math.Abs(noise-want) > 1e-9*want {
			t.Errorf("%s: noise %v, want %v", name, noise, want)
		}
	}
	if !math.IsInf((&PairNorms{Documents: 1}).Noise(1), 1) {
		t.Error("one document has a known noise")
	}
}

// The noise that is estimated from one sample is the variance of C between samples.
func TestNoiseBetweenSamples(t *testing.T) {
	const n, m, samples = 40, 150, 30
	all := drawn(n, 3, m*samples)
	sums, squares, estimated := make([]float64, n*n), 0.0, 0.0
	for at := range samples {
		part := *all
		part.Offsets = all.Offsets[at*m : (at+1)*m+1]
		start, end := part.Offsets[0], part.Offsets[m]
		offsets := make([]int32, m+1)
		for i, offset := range part.Offsets {
			offsets[i] = offset - start
		}
		part.Offsets, part.Items, part.Counts = offsets, all.Items[start:end], all.Counts[start:end]
		tall, _, err := Dense(t.Context(), inBatches(&part, 1000), n, nil, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		var c []float64
		for i := range n {
			c = append(c, tall.Row(i)...)
		}
		square := 0.0
		for i, v := range c {
			sums[i] += v / samples
			square += v * v
		}
		squares += square / samples
		norms := &PairNorms{}
		for d := range part.Documents() {
			items, counts := part.Row(d)
			norms.add(items, counts)
		}
		norms.Squares = norms.sum.Value()
		estimated += norms.Noise(square) / samples
	}
	mean := 0.0
	for _, v := range sums {
		mean += v * v
	}
	want := (squares - mean) * samples / (samples - 1)
	if math.Abs(estimated-want) > 0.1*want {
		t.Errorf("noise is estimated as %v, and C varies by %v", estimated, want)
	}
}
