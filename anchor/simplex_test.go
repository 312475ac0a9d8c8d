package anchor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// pointsOf returns the shared part of problems with the given points.
func pointsOf(points *mat.Dense) *simplexPoints {
	k, _ := points.Dims()
	var gram mat.Dense
	gram.Mul(points, points.T())
	return newSimplexPoints(gram.RawMatrix().Data, k)
}

// solveOne solves one problem and checks the solution's own claims.
func solveOne(t *testing.T, what string, solver *activeSet, points *mat.Dense, x []float64) []float64 {
	t.Helper()
	k, _ := points.Dims()
	var c mat.VecDense
	c.MulVec(points, mat.NewVecDense(len(x), x))
	_, residual := solver.solve(c.RawVector().Data)
	b := append([]float64(nil), solver.b[:k]...)
	if !(residual <= kktTolerance) {
		t.Fatalf("%s: KKT residual %v", what, residual)
	}
	if own := plainResidual(points, x, b); !(own <= kktTolerance) {
		t.Fatalf("%s: KKT residual %v, said to be %v", what, own, residual)
	}
	total := 0.0
	for _, v := range b {
		if !(v >= 0) {
			t.Fatalf("%s: mixture %v", what, b)
		}
		total += v
	}
	near(t, what+": sum of the mixture", total, 1, 1e-14, 1)
	return b
}

// plainResidual is the KKT residual from the points themselves, relative to the largest terms of the gradient.
func plainResidual(points *mat.Dense, x, b []float64) float64 {
	k, width := points.Dims()
	difference := make([]float64, width)
	for p := range difference {
		difference[p] = -x[p]
		for j := range k {
			difference[p] += b[j] * points.At(j, p)
		}
	}
	gradient, mean, length, scale := make([]float64, k), 0.0, 0.0, 0.0
	for j := range k {
		row := mat.NewVecDense(width, points.RawRowView(j))
		gradient[j] = mat.Dot(row, mat.NewVecDense(width, difference))
		mean += b[j] * gradient[j]
		length = max(length, mat.Norm(row, 2))
	}
	scale = length * (length + mat.Norm(mat.NewVecDense(width, x), 2))
	worst := 0.0
	for j, g := range gradient {
		if b[j] > 0 {
			worst = max(worst, math.Abs(g-mean))
		} else {
			worst = max(worst, mean-g)
		}
	}
	if worst == 0 {
		return 0
	}
	return worst / scale
}

// degenerate are ways of spoiling k points in the given number of dimensions.
var degenerate = map[string]func(rng *rand.Rand, points *mat.Dense){
	"random": func(*rand.Rand, *mat.Dense) {},
	"twice": func(_ *rand.Rand, points *mat.Dense) {
		points.SetRow(0, points.RawRowView(1))
	},
	"almost twice": func(rng *rand.Rand, points *mat.Dense) {
		points.SetRow(0, points.RawRowView(1))
		points.Set(0, 0, points.At(0, 0)+1e-8)
	},
	"zero": func(_ *rand.Rand, points *mat.Dense) {
		clear(points.RawRowView(0))
	},
	"all zero but one": func(_ *rand.Rand, points *mat.Dense) {
		k, _ := points.Dims()
		for j := range k - 1 {
			clear(points.RawRowView(j))
		}
	},
	"on a line": func(rng *rand.Rand, points *mat.Dense) {
		k, width := points.Dims()
		for j := 2; j < k; j++ {
			at := rng.NormFloat64()
			for p := range width {
				points.Set(j, p, at*points.At(0, p)+(1-at)*points.At(1, p))
			}
		}
	},
	"flat": func(rng *rand.Rand, points *mat.Dense) { // nearly in an affine subspace
		k, width := points.Dims()
		for j := range k {
			for p := 1; p < width; p++ {
				points.Set(j, p, 1+1e-7*points.At(j, p))
			}
		}
	},
	"one far out": func(_ *rand.Rand, points *mat.Dense) {
		row := points.RawRowView(0)
		for p := range row {
			row[p] *= 1e5
		}
	},
	"symmetric": func(_ *rand.Rand, points *mat.Dense) { // many entries block at once
		points.Zero()
		k, width := points.Dims()
		for j := range k {
			points.Set(j, j%width, float64(1-2*(j/width%2)))
		}
	},
}

func TestMixtureAgainstAllSupports(t *testing.T) {
	for name, spoil := range degenerate {
		for seed := range uint64(40) {
			rng := random(seed)
			k, width := 1+rng.IntN(6), 1+rng.IntN(7)
			points := mat.NewDense(max(k, 2), width, nil)
			k, _ = points.Dims()
			for j := range k {
				for p := range width {
					points.Set(j, p, rng.NormFloat64())
				}
			}
			spoil(rng, points)
			solver := newActiveSet(pointsOf(points))
			for place, x := range targets(rng, points) {
				what := fmt.Sprintf("%s, %s, seed %d", name, place, seed)
				b := solveOne(t, what, solver, points, x)
				want := bruteSimplex(t, points, x)
				size := 0.0
				for j := range k {
					size = max(size, mat.Norm(points.RowView(j), 2))
				}
				size += mat.Norm(mat.NewVecDense(width, x), 2)
				// The objective decides: degenerate problems have more than one solution.
				near(t, what+": objective", plainObjective(points, x, b), plainObjective(points, x, want), 1e-9, size*size)
				if name == "random" && k <= width {
					for j := range k {
						near(t, what+": mixture", b[j], want[j], 1e-8, 1)
					}
				}
			}
		}
	}
}

// targets returns points to be approximated, by where they lie.
func targets(rng *rand.Rand, points *mat.Dense) map[string][]float64 {
	k, width := points.Dims()
	inside, face := make([]float64, width), make([]float64, width)
	for p := range width {
		for j := range k {
			inside[p] += points.At(j, p) / float64(k)
		}
		face[p] = (points.At(0, p) + points.At(k-1, p)) / 2
	}
	outside, far := make([]float64, width), make([]float64, width)
	for p := range width {
		outside[p] = rng.NormFloat64()
		far[p] = 1e4 * outside[p]
	}
	return map[string][]float64{"inside": inside, "on a face": face, "outside": outside, "far outside": far,
		"at a corner": append([]float64(nil), points.RawRowView(k-1)...), "zero": make([]float64, width)}
}

// KKT conditions hold for every problem, also when the points are many, dependent, of very different length.
func TestMixturesKeepKKT(t *testing.T) {
	for name, spoil := range degenerate {
		for _, shape := range []struct{ k, width int }{{7, 7}, {40, 40}, {64, 20}, {150, 150}, {300, 300}} {
			rng := random(uint64(shape.k))
			points := mat.NewDense(shape.k, shape.width, nil)
			for j := range shape.k {
				for p := range shape.width {
					points.Set(j, p, math.Abs(rng.NormFloat64()))
				}
			}
			spoil(rng, points)
			solver := newActiveSet(pointsOf(points))
			for place, x := range targets(rng, points) {
				solveOne(t, fmt.Sprintf("%s, %s, %v", name, place, shape), solver, points, x)
			}
		}
	}
}

// The factor is the same, whichever way its entries came and went.
func TestFactorFollowsPassiveSet(t *testing.T) {
	const k = 12
	rng := random(2)
	points := mat.NewDense(k, k, nil)
	for j := range k {
		for p := range k {
			points.Set(j, p, rng.NormFloat64())
		}
	}
	changed, fresh := newActiveSet(pointsOf(points)), newActiveSet(pointsOf(points))
	for range 200 {
		j := rng.IntN(k)
		if !changed.isPassive[j] {
			changed.append(j)
		} else if len(changed.passive) > 1 {
			changed.remove(rng.IntN(len(changed.passive)))
		}
		fresh.passive = fresh.passive[:0]
		for _, j := range changed.passive {
			fresh.append(j)
		}
		for r := range changed.passive {
			near(t, "factor⁻¹·e", math.Abs(changed.ones[r]), math.Abs(fresh.ones[r]), 1e-11, 1)
			for q := range r + 1 {
				at := r*k + q
				near(t, "factor", math.Abs(changed.factor[at]), math.Abs(fresh.factor[at]), 1e-11, 10)
			}
		}
	}
}

func TestSolvingAllocatesNothing(t *testing.T) {
	problems := newBenchmarkProblems(30, 16)
	solver := newActiveSet(problems.points)
	allocations := testing.AllocsPerRun(10, func() {
		for _, c := range problems.products {
			solver.solve(c)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations per run", allocations)
	}
}

// An item whose problem is not solved to the tolerance is named.
func TestUnsolvedMixtureIsAnError(t *testing.T) {
	opts := &Options{Name: func(int) string { return "tail" }}
	if err := checkMixture(3, 7, kktTolerance, opts); err != nil {
		t.Errorf("error %q at the tolerance", err)
	}
	for residual, text := range map[float64]string{1.5e-8: "1.5e-08", math.NaN(): "NaN"} {
		want := `anchor: item "tail": its mixture of anchors was not found in 7 iterations: the KKT residual is ` + text +
			` of scale, above 1e-08`
		if err := checkMixture(3, 7, residual, opts); err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

// benchmarkProblems are problems like those of items: mixtures of a few of k points, with noise.
type benchmarkProblems struct {
	points   *simplexPoints
	products [][]float64
}

func newBenchmarkProblems(k, n int) *benchmarkProblems {
	rng := random(uint64(k))
	points := mat.NewDense(k, k, nil)
	for j := range k {
		for p := range k {
			points.Set(j, p, math.Abs(rng.NormFloat64())/10)
		}
		points.Set(j, j, 1)
	}
	problems := &benchmarkProblems{points: pointsOf(points)}
	for range n {
		x := mat.NewVecDense(k, nil)
		for range 5 {
			x.AddScaledVec(x, rng.ExpFloat64()/5, points.RowView(rng.IntN(k)))
		}
		for p := range k {
			x.SetVec(p, x.AtVec(p)+0.01*rng.NormFloat64())
		}
		var c mat.VecDense
		c.MulVec(points, x)
		problems.products = append(problems.products, c.RawVector().Data)
	}
	return problems
}

func BenchmarkMixtures(b *testing.B) {
	for _, k := range []int{50, 100, 300} {
		b.Run(fmt.Sprintf("K=%d", k), func(b *testing.B) {
			problems := newBenchmarkProblems(k, 1000)
			solver := newActiveSet(problems.points)
			iterations, nonzeros, at := 0, 0, 0
			for b.Loop() {
				done, _ := solver.solve(problems.products[at%1000])
				at++
				iterations += done
				nonzeros += len(solver.passive)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "problems/s")
			b.ReportMetric(float64(iterations)/float64(b.N), "iterations")
			b.ReportMetric(float64(nonzeros)/float64(b.N), "nonzeros")
		})
	}
}
