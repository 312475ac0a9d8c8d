package kernel

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/aligned"
	"anchorage/internal/long"
)

const eps = 0x1p-52

// symmetricFamilies are matrices that are hard for one or the other step of an eigensolver.
var symmetricFamilies = map[string]func(rng *rand.Rand, n int) []float64{
	"random":   randomSymmetric,
	"zero":     func(_ *rand.Rand, n int) []float64 { return make([]float64, n*n) },
	"identity": func(_ *rand.Rand, n int) []float64 { return identity(n) },
	"ones":     func(_ *rand.Rand, n int) []float64 { return slices.Repeat([]float64{1}, n*n) },
	"diagonal": func(rng *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 { return rng.NormFloat64() * btof(i == j) })
	},
	"tridiagonal": func(rng *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 { return rng.NormFloat64() * btof(i-j <= 1) })
	},
	"second difference": func(_ *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 { return 2*btof(i == j) - btof(i-j == 1) })
	},
	// Wilkinson's W⁺ has pairs of eigenvalues that agree to all digits without being equal.
	"Wilkinson": func(_ *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 {
			return math.Abs(float64(i)-float64(n-1)/2)*btof(i == j) + btof(i-j == 1)
		})
	},
	"glued Wilkinson": func(_ *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 {
			beside := 1.0
			if i%21 == 0 {
				beside = 1e-9
			}
			return math.Abs(float64(i%21)-10)*btof(i == j) + beside*btof(i-j == 1)
		})
	},
	"graded": func(rng *rand.Rand, n int) []float64 {
		return gradedMatrix(rng, n, -20)
	},
	"graded upwards": func(rng *rand.Rand, n int) []float64 {
		return gradedMatrix(rng, n, 20)
	},
	"three values": func(rng *rand.Rand, n int) []float64 {
		return withEigenvalues(rng, n, func(i int) float64 { return float64(i % 3) })
	},
	"clusters": func(rng *rand.Rand, n int) []float64 {
		return withEigenvalues(rng, n, func(i int) float64 { return float64(i%4) + 1e-14*float64(i) })
	},
	"one of rank two": func(rng *rand.Rand, n int) []float64 {
		return withEigenvalues(rng, n, func(i int) float64 { return float64(btoi(i < 2)) })
	},
	"exponential decay": func(rng *rand.Rand, n int) []float64 {
		return withEigenvalues(rng, n, func(i int) float64 { return math.Pow(2, -float64(i)) })
	},
	"both signs": func(rng *rand.Rand, n int) []float64 {
		return withEigenvalues(rng, n, func(i int) float64 { return math.Pow(-0.9, float64(i)) })
	},
	"blocks": func(rng *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 { return rng.NormFloat64() * btof(i/5 == j/5) })
	},
	"arrow": func(rng *rand.Rand, n int) []float64 {
		return fromEntries(n, func(i, j int) float64 { return btof(j == 0) + float64(i)*btof(i == j) })
	},
	"Kac": func(_ *rand.Rand, n int) []float64 { // the symmetric form of the Clement matrix: n−1, n−3, …, 1−n
		return fromEntries(n, func(i, j int) float64 { return math.Sqrt(float64(i)*float64(n-i)) * btof(i-j == 1) })
	},
}

// gradedMatrix returns a matrix whose entries change by the given number of orders from one end to the other, twice.
func gradedMatrix(rng *rand.Rand, n int, orders float64) []float64 {
	return fromEntries(n, func(i, j int) float64 {
		return rng.NormFloat64() * math.Pow(10, orders*float64(i+j)/float64(n))
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func btof(b bool) float64 { return float64(btoi(b)) }

// fromEntries returns the symmetric matrix whose entries with j ≤ i are given.
func fromEntries(n int, entry func(i, j int) float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = entry(i, j)
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

// withEigenvalues returns a matrix with the given eigenvalues, up to rounding, and random eigenvectors.
func withEigenvalues(rng *rand.Rand, n int, value func(i int) float64) []float64 {
	var qr mat.QR
	qr.Factorize(mat.NewDense(n, n, randomSlice(rng, n*n)))
	var q, scaled, a mat.Dense
	qr.QTo(&q)
	scaled.Apply(func(_, j int, v float64) float64 { return v * value(j) }, &q)
	a.Mul(&scaled, q.T())
	return fromEntries(n, a.At)
}

// requireEigen checks decreasing order, values against those of gonum, residuals and orthogonality, in units of
// n·eps·‖a‖.
func requireEigen(t *testing.T, name string, a []float64, n, count int, values, vectors []float64) {
	t.Helper()
	if len(values) != n || len(vectors) != n*count {
		t.Fatalf("%s: %d values and %d entries of vectors", name, len(values), len(vectors))
	}
	if !slices.IsSortedFunc(values, func(x, y float64) int { return cmp.Compare(y, x) }) {
		t.Fatalf("%s: eigenvalues do not decrease: %v", name, values)
	}
	var reference mat.EigenSym
	if !reference.Factorize(mat.NewSymDense(n, slices.Clone(a)), false) {
		t.Fatalf("%s: no reference", name)
	}
	want := reference.Values(nil)
	norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
	unit := float64(n) * eps * norm
	for i, v := range values {
		if off := math.Abs(v - want[n-1-i]); !(off <= 4*unit) {
			t.Errorf("%s: value %d is %v, want %v: %.2g units off", name, i, v, want[n-1-i], off/unit)
		}
	}
	v := mat.NewDense(n, max(count, 1), append(slices.Clone(vectors), make([]float64, n*btoi(count == 0))...))
	if count == 0 {
		return
	}
	var residual, gram mat.Dense
	residual.Mul(mat.NewDense(n, n, slices.Clone(a)), v)
	gram.Mul(v.T(), v)
	for i := range n {
		for j := range count {
			if off := math.Abs(residual.At(i, j) - values[j]*v.At(i, j)); !(off <= 4*unit) {
				t.Fatalf("%s: residual %d has entry %d %.2g units", name, j, i, off/unit)
			}
		}
	}
	for i := range count {
		for j := range count {
			if off := math.Abs(gram.At(i, j) - btof(i == j)); !(off <= 4*float64(n)*eps) {
				t.Fatalf("%s: vectors %d and %d have product %.2g·n·eps off", name, i, j, off/float64(n)/eps)
			}
		}
	}
}

func TestSymmetricEigenAgainstGonum(t *testing.T) {
	long.Unwatched(t)
	for name, build := range symmetricFamilies {
		for _, n := range []int{1, 2, 3, 5, 17, 21, 33, 64, 110, 257} {
			a := build(rand.New(rand.NewPCG(21, uint64(n))), n)
			given := slices.Clone(a)
			values, vectors, err := SymmetricEigen(context.Background(), a, n, 2)
			if err != nil {
				t.Fatalf("%s, n %d: %v", name, n, err)
			}
			if !slices.Equal(a, given) {
				t.Fatalf("%s, n %d: the matrix was changed", name, n)
			}
			requireEigen(t, fmt.Sprintf("%s, n %d", name, n), a, n, n, values, vectors)
		}
	}
}

func TestLeadingEigenIsPartOfAll(t *testing.T) {
	for name, build := range symmetricFamilies {
		for _, n := range long.Grid(3, 3, 40, 110, 257) {
			a := build(rand.New(rand.NewPCG(22, uint64(n))), n)
			values, vectors, err := SymmetricEigen(context.Background(), a, n, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, count := range []int{0, 1, n / 3, n - 1} {
				some, leading, err := LeadingEigen(context.Background(), a, n, count, 2)
				if err != nil {
					t.Fatal(err)
				}
				requireEigen(t, fmt.Sprintf("%s, %d of n %d", name, count, n), a, n, count, some, leading)
				same := slices.Equal(some, values) && slices.Equal(leading, FirstColumns(vectors, n, n, count))
				if count > 0 && !same {
					t.Errorf("%s: %d of %d eigenvectors are others than with all", name, count, n)
				}
			}
		}
	}
}

func TestSymmetricEigenAtTheEndsOfTheRange(t *testing.T) {
	const n = 70
	a := randomSymmetric(rand.New(rand.NewPCG(23, 1)), n)
	want, _, err := SymmetricEigen(context.Background(), a, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, exponent := range []int{-1074 + 50, -1000, -600, 600, 1000, 1015} {
		scaled := make([]float64, n*n)
		for i, v := range a {
			scaled[i] = math.Ldexp(v, exponent)
		}
		values, vectors, err := SymmetricEigen(context.Background(), scaled, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		// Below the normal numbers the matrix itself has lost digits: 50 of them are left at 2^−1024.
		for i, v := range values {
			values[i] = math.Ldexp(v, -exponent)
			if math.Abs(values[i]-want[i]) > n*0x1p-48*want[0] {
				t.Errorf("2^%d: value %d is %v, want %v", exponent, i, values[i], want[i])
			}
		}
		gram := TransposedTimes(context.Background(), vectors, vectors, n, n, n)
		if off := offOrthonormal(gram, n); off > 4*n*eps {
			t.Errorf("2^%d: vectors are orthonormal to %g only", exponent, off)
		}
	}
	least := make([]float64, n*n)
	least[3*n+3] = math.SmallestNonzeroFloat64
	values, _, err := SymmetricEigen(context.Background(), least, n, 1)
	if err != nil || values[0] != math.SmallestNonzeroFloat64 || values[1] != 0 {
		t.Errorf("the smallest number: %v, error %v", values[:2], err)
	}
}

func TestSymmetricEigenRefuses(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := identity(40)
		a[7*40+3] = bad
		_, _, err := SymmetricEigen(context.Background(), a, 40, 1)
		if err == nil || !strings.Contains(err.Error(), "7,3") {
			t.Errorf("%v at 7,3 gives error %v", bad, err)
		}
	}
	if _, _, err := SymmetricEigen(context.Background(), slices.Repeat([]float64{math.MaxFloat64}, 9), 3, 1); err == nil {
		t.Error("no error for an eigenvalue of 3 times the greatest number")
	}
}

func TestSymmetricEigenTakesTheMean(t *testing.T) {
	const n = 45
	a := randomSlice(rand.New(rand.NewPCG(24, 1)), n*n)
	mean := fromEntries(n, func(i, j int) float64 { return (a[i*n+j] + a[j*n+i]) / 2 })
	values, vectors, err := SymmetricEigen(context.Background(), a, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	requireEigen(t, "mean", mean, n, n, values, vectors)
}

func TestSymmetricEigenSameBitsForAnyWorkers(t *testing.T) {
	for _, n := range []int{100, 300, 700} {
		a := randomSymmetric(rand.New(rand.NewPCG(25, uint64(n))), n)
		values, vectors, err := SymmetricEigen(context.Background(), a, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 3, 8} {
			v, z, err := SymmetricEigen(context.Background(), a, n, workers)
			if err != nil || !slices.Equal(v, values) || !slices.Equal(z, vectors) {
				t.Errorf("n %d: %d workers give other bits than one; error %v", n, workers, err)
			}
		}
	}
}

// TestSecularRoots solves equations whose roots lie as close to poles as equations can have them after deflation.
func TestSecularRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 1))
	for trial := range 300 {
		k := 1 + rng.IntN(40)
		s := newSecular(k)
		at, total := -1.0, 0.0
		for i := range k {
			at += math.Pow(10, -14*rng.Float64())
			s.poles[i] = at
			s.weights[i] = math.Pow(10, -30*rng.Float64()*float64(trial%3)/2)
			total += s.weights[i]
		}
		differences := make([]float64, len(s.poles))
		for j := range k {
			root, err := s.root(j, differences)
			if err != nil {
				t.Fatal(err)
			}
			next := s.poles[k-1] + total*(1+1e-12)
			if j < k-1 {
				next = s.poles[j+1]
			}
			if root < s.poles[j] || root > next || !(differences[j] < 0) || j < k-1 && !(differences[j+1] > 0) {
				t.Fatalf("trial %d: root %d, %v, is not between %v and %v", trial, j, root, s.poles[j], next)
			}
			value, size, slope := 1.0, 1.0, 0.0
			for i, d := range differences[:k] {
				value += s.weights[i] / d
				size += math.Abs(s.weights[i] / d)
				slope += s.weights[i] / d / d
			}
			// As good as rounding of the value and of the distance from the nearest pole allows.
			distance := min(-differences[j], math.Abs(differences[min(j+1, k-1)]))
			if math.Abs(value) > 16*eps*(float64(k)*size+slope*distance) {
				t.Fatalf("trial %d: at root %d of %d the value is %g, with terms of %g", trial, j, k, value, size)
			}
		}
	}
}

// TestRowProducts compares the kernels of the instruction set in use with naive sums.
func TestRowProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	for _, n := range []int{0, 8, 16, 24, 64, 200} {
		stride := n + aligned.Lane
		a, x, left := randomSlice(rng, aligned.Lane*stride), randomSlice(rng, stride), randomSlice(rng, aligned.Lane)
		dots, y := randomSlice(rng, aligned.Lane), randomSlice(rng, stride)
		wantDots, wantY := slices.Clone(dots), slices.Clone(y)
		for r := range aligned.Lane {
			for j := range n {
				wantDots[r] += a[r*stride+j] * x[j]
				wantY[j] += a[r*stride+j] * left[r]
			}
		}
		alone := slices.Clone(dots)
		rowProducts(n, a, stride, x, alone, nil, nil)
		rowProducts(n, a, stride, x, dots, left, y)
		for r := range aligned.Lane {
			if math.Abs(dots[r]-wantDots[r]) > 1e-12 || math.Abs(alone[r]-wantDots[r]) > 1e-12 {
				t.Errorf("n %d: product of row %d is %v and %v, want %v", n, r, dots[r], alone[r], wantDots[r])
			}
		}
		for j := range y {
			if math.Abs(y[j]-wantY[j]) > 1e-12 {
				t.Errorf("n %d: entry %d of the transposed product is %v, want %v", n, j, y[j], wantY[j])
			}
		}
	}
}
