package anchor

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var solvers = map[string]Solver{"active set": ActiveSet, "exponentiated gradient": ExponentiatedGradient, "ADMM": ADMM}

func startSolver(t testing.TB, s Solver, points *simplexPoints) simplexSolver {
	t.Helper()
	solver, err := s.start(context.Background(), points)
	if err != nil {
		t.Fatal(err)
	}
	return solver
}

// All solvers find points that are equally near, whatever the points they mix: degenerate problems have many solutions, and
// some of those here have points whose lengths differ by 1e5.
func TestSolversAgreeOnDegenerateProblems(t *testing.T) {
	for name, spoil := range degenerate {
		for _, shape := range []struct{ k, width int }{{3, 3}, {7, 7}, {12, 5}} {
			rng := random(uint64(shape.k))
			points := mat.NewDense(shape.k, shape.width, nil)
			for j := range shape.k {
				for p := range shape.width {
					points.Set(j, p, math.Abs(rng.NormFloat64()))
				}
			}
			spoil(rng, points)
			shared := pointsOf(points)
			for place, x := range targets(rng, points) {
				var c mat.VecDense
				c.MulVec(points, mat.NewVecDense(len(x), x))
				size := mat.Norm(points, math.Inf(1)) + mat.Norm(mat.NewVecDense(len(x), x), 2)
				want := startSolver(t, ActiveSet, shared)
				want.solve(c.RawVector().Data)
				best := plainObjective(points, x, want.solution()[:shape.k])
				for _, s := range []Solver{ExponentiatedGradient, ADMM} {
					solver := startSolver(t, s, shared)
					solver.solve(c.RawVector().Data)
					what := fmt.Sprintf("%s, %s, %v, solver %d", name, place, shape, s)
					total := 0.0
					for _, v := range solver.solution() {
						if !(v >= 0) {
							t.Fatalf("%s: mixture %v", what, solver.solution())
						}
						total += v
					}
					near(t, what+": sum of the mixture", total, 1, 1e-12, 1)
					near(t, what+": objective", plainObjective(points, x, solver.solution()[:shape.k]), best, 1e-6, size*size)
				}
			}
		}
	}
}

// On problems with one solution, all find it.
func TestSolversAgree(t *testing.T) {
	for _, k := range []int{2, 5, 25, 50} {
		problems := newBenchmarkProblems(k, 20)
		want := startSolver(t, ActiveSet, problems.points)
		for name, s := range solvers {
			solver := startSolver(t, s, problems.points)
			for _, c := range problems.products {
				want.solve(c)
				_, residual := solver.solve(c)
				if !(residual <= s.tolerance()) {
					t.Errorf("%s, K %d: KKT residual %v", name, k, residual)
				}
				for j, v := range solver.solution() {
					near(t, fmt.Sprintf("%s, K %d: entry %d of a mixture", name, k, j), v, want.solution()[j], 1e-6, 1)
				}
			}
		}
	}
}

// LAW and AW infer the same with any of them.
func TestSolversGiveTheSameTopics(t *testing.T) {
	const n, k = 50, 5
	rng := random(8)
	model := plant(rng, n, k)
	y := tallOf(disturb(rng, model.y, 0.1))
	c := denseOf(model.y)
	for name, s := range solvers {
		for method, infer := range map[string]func(s Solver) (*Topics, error){
			"LAW": func(s Solver) (*Topics, error) {
				return LAW(t.Context(), y, model.rowSums, Options{RowSums: RowSumsExact, Solver: s})
			},
			"AW": func(s Solver) (*Topics, error) { return AW(t.Context(), c, Options{Topics: k, Solver: s}) },
		} {
			want, err := infer(ActiveSet)
			if err != nil {
				t.Fatal(err)
			}
			got, err := infer(s)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for a, v := range got.Mixtures.Row(i) {
					near(t, fmt.Sprintf("%s, %s: mixture %d", method, name, i), v, want.Mixtures.Row(i)[a], 1e-6, 1)
				}
			}
		}
	}
}

func TestUnknownSolverPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "anchor: unknown solver" {
			t.Errorf("panic %v", got)
		}
	}()
	_, _ = Solver(3).start(t.Context(), newSimplexPoints([]float64{1}, 1))
}

// BenchmarkSolvers compares the solvers on problems like those of items.
func BenchmarkSolvers(b *testing.B) {
	for _, k := range []int{25, 50, 100, 200} {
		problems := newBenchmarkProblems(k, 100)
		for _, s := range []struct {
			name   string
			solver Solver
		}{{"active-set", ActiveSet}, {"ADMM", ADMM}, {"exponentiated-gradient", ExponentiatedGradient}} {
			b.Run(fmt.Sprintf("K=%d/%s", k, s.name), func(b *testing.B) {
				solver := startSolver(b, s.solver, problems.points)
				iterations, at := 0, 0
				for b.Loop() {
					done, _ := solver.solve(problems.products[at%len(problems.products)])
					at++
					iterations += done
				}
				b.ReportMetric(float64(iterations)/float64(b.N), "iterations")
			})
		}
	}
}
