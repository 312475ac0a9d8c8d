package sketch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/matrix"
)

// byTasks makes the next pass of an iteration in tasks, adds their sums in a random order, and makes the step.
func byTasks(t *testing.T, i *Iteration, c *shared, tasks, k int, opts Options) *Evidence {
	t.Helper()
	ctx, n := context.Background(), c.docs.Documents()
	var sum *Sums
	for at, task := range rand.New(rand.NewPCG(1, uint64(i.Passes))).Perm(tasks) {
		one, err := i.Sum(ctx, inBatches(rows(c.docs, task*n/tasks, (task+1)*n/tasks), 13+task), c.vocabulary, opts)
		if err != nil {
			t.Fatal(err)
		}
		if at == 0 {
			sum = one
			continue
		}
		for c, column := range one.Whole {
			for item, v := range column {
				sum.Whole[c][item] += v
			}
		}
		if sum.Documents += one.Documents; one.Product != nil {
			for item := range one.Product.Rows() {
				for j, v := range one.Product.Row(item) {
					sum.Product.Row(item)[j] += v
				}
			}
		}
	}
	evidence, err := i.Step(ctx, sum, c.vocabulary, k, opts)
	if err != nil {
		t.Fatal(err)
	}
	return evidence
}

// TestIteration wants the passes of tasks to give the bits of one process: pairs, residuals and evidence.
func TestIteration(t *testing.T) {
	negative, items := crowded()
	plain := drawn(200, 6, 2000)
	weights := make([]float64, 200)
	for i := range weights {
		weights[i] = 1 + float64(i%7)/3
	}
	for _, c := range []shared{
		{name: "plain", docs: plain, vocabulary: counted(plain, 200), opts: Options{Columns: 12, Passes: 4}},
		{name: "weighted", docs: plain, vocabulary: counted(plain, 200), opts: Options{Columns: 9, Passes: 2,
			Weights: weights, PairPrior: 100}},
		{name: "shifted", docs: negative, vocabulary: counted(negative, items), opts: Options{Columns: 8, Passes: 5}},
		{name: "to a tolerance", docs: plain, vocabulary: counted(plain, 200), opts: Options{Columns: 12, Tolerance: 1e-7}},
	} {
		const k = 4
		ctx, pass := context.Background(), inBatches(c.docs, 100)
		c.opts.Seed, c.opts.Power, c.opts.Workers = 7, true, 2
		s, err := Accumulate(ctx, pass, c.vocabulary, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		marginals := s.Marginals
		want, err := s.Krylov(ctx, pass, k, c.opts)
		if err != nil {
			t.Fatal(c.name, err)
		}
		evidence, err := MeasureEvidence(ctx, pass, &marginals, want, EvidenceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var i Iteration
		for i.Eigen == nil {
			byTasks(t, &i, &c, 3+i.Passes, k, c.opts)
		}
		found := byTasks(t, &i, &c, 3, k, c.opts)
		got := i.Eigen
		for _, pair := range [][2]any{{want.Values, got.Values}, {want.Residuals, got.Residuals}, {want.Passes, got.Passes},
			{want.GuardValues, got.GuardValues}, {*evidence, *found}, {marginals, i.Marginals}} {
			if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
				t.Errorf("%s: one process has %.200v, tasks have %.200v", c.name, pair[0], pair[1])
			}
		}
		if !sameRows(want.Vectors, got.Vectors) || !sameRows(want.Leading, got.Leading) {
			t.Errorf("%s: the eigenvectors differ", c.name)
		}
	}
}

func sameRows[T float32 | float64](a, b *matrix.TallOf[T]) bool {
	for i := range a.Rows() {
		if !slices.Equal(a.Row(i), b.Row(i)) {
			return false
		}
	}
	return a.Cols() == b.Cols()
}

// TestIterationRefuses wants sums beyond their units, and too few eigenvalues, to be refused.
func TestIterationRefuses(t *testing.T) {
	docs := drawn(60, 3, 3000)
	v := counted(docs, 60)
	few := *v
	few.DocumentFrequency = make([]int64, 60)
	opts := Options{Columns: 8, Passes: 2, Power: true}
	var i Iteration
	var counts *corpus.DataError
	ctx := context.Background()
	if _, err := i.Sum(ctx, inBatches(docs, 50), &few, opts); !errors.As(err, &counts) {
		t.Errorf("documents beyond the counts: %v", err)
	}
	sums, err := i.Sum(ctx, inBatches(docs, 50), v, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Step(ctx, sums, &few, 3, opts); !errors.As(err, &counts) {
		t.Errorf("sums beyond the counts: %v", err)
	}
	var rank *RankError
	if _, err := new(Iteration).Step(ctx, sums, v, 9, opts); !errors.As(err, &rank) || rank.Topics != 9 {
		t.Errorf("9 pairs of 8 columns: %v", err)
	}
}
