package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/matrix"
)

// conditioned returns a matrix with singular values from 1 down to least, evenly spaced in their logarithm.
func conditioned(rng *rand.Rand, rows, cols int, least float64) *matrix.Tall {
	left, right := randomTall(rng, rows, cols), randomTall(rng, cols, cols)
	if _, err := Orthonormalize(context.Background(), left, 1); err != nil {
		panic(err)
	}
	if _, err := Orthonormalize(context.Background(), right, 1); err != nil {
		panic(err)
	}
	s := make([]float64, cols*cols)
	for i := range cols {
		for j := range cols {
			s[i*cols+j] = math.Pow(least, float64(i)/float64(max(cols-1, 1))) * right.Row(j)[i]
		}
	}
	m := matrix.NewTall(rows, cols)
	Multiply(context.Background(), m, left, s, 1)
	return m
}

// TestOrthonormalizeAgainstHouseholder compares with a QR decomposition by reflections, which does not care for
// condition.
func TestOrthonormalizeAgainstHouseholder(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, shape := range [][2]int{{1, 1}, {40, 7}, {300, 24}, {700, 61}} {
		for _, least := range []float64{1, 1e-2, 1e-4, 1e-5, 1e-6} {
			rows, cols := shape[0], shape[1]
			m := conditioned(rng, rows, cols, least)
			dense := mat.NewDense(rows, cols, nil)
			for i := range rows {
				dense.SetRow(i, m.Row(i))
			}
			r, err := Orthonormalize(context.Background(), m, 2)
			if err != nil || m.Cols() != cols {
				t.Fatalf("%v, least singular value %g: %d columns, error %v", shape, least, m.Cols(), err)
			}
			if off := offOrthonormal(Gram(context.Background(), m, m, 1), cols); off > 16*eps*float64(cols) {
				t.Errorf("%v, least singular value %g: orthonormal to %g only", shape, least, off)
			}
			q := mat.NewDense(rows, cols, nil)
			for i := range rows {
				q.SetRow(i, m.Row(i))
			}
			var qr mat.QR
			qr.Factorize(dense)
			var reference mat.Dense
			qr.QTo(&reference)
			// What Q has outside of the space, as rounding of the matrix turns that space.
			var inside, outside mat.Dense
			span := reference.Slice(0, rows, 0, cols)
			inside.Mul(span.T(), q)
			outside.Mul(span, &inside)
			outside.Sub(&outside, q)
			if off := mat.Norm(&outside, 2); off > 32*eps*float64(cols)/least {
				t.Errorf("%v, least singular value %g: %g lies outside of the space", shape, least, off)
			}
			var rest mat.Dense
			rest.Mul(q, mat.NewDense(cols, cols, r))
			rest.Sub(&rest, dense)
			if off := mat.Norm(&rest, 2); off > 32*eps*float64(cols) {
				t.Errorf("%v, least singular value %g: Q·r is %g off", shape, least, off)
			}
		}
	}
}

// TestOrthonormalizeLeavesOutWhatIsLost checks on which side of 1e-7 directions are left out.
func TestOrthonormalizeLeavesOutWhatIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, c := range []struct {
		least float64
		lost  int
	}{{1e-5, 0}, {1e-6, 0}, {1e-9, 1}, {1e-12, 1}, {0, 1}} {
		m := conditioned(rng, 600, 20, 1)
		for i := range m.Rows() {
			row := m.Row(i)
			sum := 0.0
			for _, v := range row[:19] {
				sum += v / math.Sqrt(19)
			}
			row[19] = sum + c.least*row[19]
		}
		if _, err := Orthonormalize(context.Background(), m, 1); err != nil || m.Cols() != 20-c.lost {
			t.Errorf("a column that is new by %g of its length: %d of 20 are kept, error %v", c.least, m.Cols(), err)
		}
	}
}

// TestCholeskyStepIsSure checks that a round by Cholesky decomposition never keeps what a round by eigenvalues leaves
// out, and that it is what well-conditioned matrices get.
func TestCholeskyStepIsSure(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for digits := range 12 {
		m := conditioned(rng, 400, 30, math.Pow(10, -float64(digits)))
		gram := Gram(context.Background(), m, m, 1)
		s, back, kept, sure := choleskyStep(context.Background(), gram, 30)
		_, _, by, err := eigenStep(context.Background(), gram, 30, 1)
		if err != nil {
			t.Fatal(err)
		}
		if sure && by != 30 {
			t.Errorf("condition 1e%d: sure of 30 columns, %d by eigenvalues", digits, by)
		}
		if digits <= 5 && !sure {
			t.Errorf("condition 1e%d: not sure of what is well-conditioned", digits)
		}
		if !sure {
			continue
		}
		product := Times(context.Background(), s, back, 30, 30, kept)
		if off := offOrthonormal(product, 30); off > 1e-14*math.Pow(10, float64(digits)) {
			t.Errorf("condition 1e%d: the inverse is %g off", digits, off)
		}
	}
}

func BenchmarkOrthonormalize(b *testing.B) {
	m := randomTall(rand.New(rand.NewPCG(34, 1)), 30000, 110)
	for b.Loop() {
		b.StopTimer()
		c := m.Copy(110)
		b.StartTimer()
		if _, err := Orthonormalize(context.Background(), c, 1); err != nil {
			b.Fatal(err)
		}
	}
}
