package metric_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/sketch"
)

// naiveDistances follows the definitions.
func naiveDistances(c [][]float64, p []float64, t *metric.Topics, base []int) map[string]float64 {
	n, k := t.Items.Dims()
	var recovery, used, profile, baseRecovery, baseUsed float64
	inBase := make(map[int]bool)
	for _, i := range base {
		inBase[i] = true
	}
	var whole, norm, off, offNorm float64
	for i := range n {
		distance := 0.0
		for j := range n {
			mixed, fitted := 0.0, 0.0
			for s, a := range t.Anchors {
				if p[a] > 0 {
					mixed += t.Mixtures.Row(i)[s] * c[a][j] / p[a]
				}
				for l := range k {
					fitted += t.Items.Row(i)[s] * t.TopicJoint[s*k+l] * t.Items.Row(j)[l]
				}
			}
			if p[i] > 0 {
				distance += (c[i][j]/p[i] - mixed) * (c[i][j]/p[i] - mixed)
				profile += c[i][j] / p[i] * c[i][j] / p[i]
			}
			d := (c[i][j] - fitted) * (c[i][j] - fitted)
			whole, norm = whole+d, norm+c[i][j]*c[i][j]
			if i != j {
				off, offNorm = off+d, offNorm+c[i][j]*c[i][j]
			}
		}
		if p[i] > 0 {
			recovery += math.Sqrt(distance)
			used++
			if inBase[i] {
				baseRecovery += math.Sqrt(distance)
				baseUsed++
			}
		}
	}
	return map[string]float64{
		"recovery": recovery / used, "relative_recovery": recovery / used / math.Sqrt(profile),
		"base_recovery": baseRecovery / baseUsed,
		"approximation": math.Sqrt(whole), "relative_approximation": math.Sqrt(whole / norm),
		"relative_off_diagonal_approximation": math.Sqrt(off / offNorm),
	}
}

func byName(d metric.Distances) map[string]metric.Estimate {
	return map[string]metric.Estimate{
		"recovery": d.Recovery, "relative_recovery": d.RelativeRecovery, "base_recovery": d.BaseRecovery,
		"approximation":          d.Approximation,
		"relative_approximation": d.RelativeApproximation, "relative_off_diagonal_approximation": d.OffDiagonalApproximation,
	}
}

// project runs a tally and an estimate.
func project(t *testing.T, docs *corpus.Documents, topics *metric.Topics, opts metric.Options) metric.Distances {
	t.Helper()
	ctx, pass := context.Background(), inBatches(docs, 37)
	m, diagonal, err := sketch.CountMarginals(ctx, pass, topics.Items.Rows(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := metric.ProjectedDistances(ctx, pass, m, diagonal, topics, opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDistancesAgainstDefinition(t *testing.T) {
	const n, k = 150, 4 // beyond a tile of rows
	docs, topics, base := drawn(n-2, k, 200), someTopics(n, k, 1), []int{0, 5, 17, 100, n - 1}
	c, p, _ := coOccurrences(docs, n)
	want := naiveDistances(c, p, topics, base)
	if p[n-1] != 0 {
		t.Fatal("no item without documents")
	}
	for _, workers := range []int{1, 2, 3, 7} {
		dense, m, err := sketch.Dense(context.Background(), inBatches(docs, 50), n, nil, 0, 0, workers)
		if err != nil {
			t.Fatal(err)
		}
		got, err := metric.DenseDistances(context.Background(), dense, m.Probabilities(), topics, base, workers)
		if err != nil {
			t.Fatal(err)
		}
		for name, e := range byName(got) {
			near(t, "dense "+name, e.Value, want[name])
			if e.StandardError != 0 {
				t.Errorf("%s is exact, and has a standard error of %g", name, e.StandardError)
			}
		}
	}
	// Where every item is among the frequent ones an estimate is exact.
	for name, e := range byName(project(t, docs, topics, metric.Options{Frequent: n, Base: base})) {
		near(t, "projected "+name, e.Value, want[name])
		if e.StandardError != 0 {
			t.Errorf("%s is exact, and has a standard error of %g", name, e.StandardError)
		}
	}
}

func TestDistancesOfPerfectTopics(t *testing.T) {
	// Two topics without common items, two items each, documents of two tokens: C = B·A·Bᵀ except for the diagonal.
	docs := &corpus.Documents{Offsets: []int32{0, 2, 4, 5, 6}, Items: []int32{0, 1, 2, 3, 0, 1}, Counts: []int32{1,
		1, 1, 1, 2, 2}}
	topics := &metric.Topics{
		Items:    tall([]float64{0.5, 0}, []float64{0.5, 0}, []float64{0, 0.5}, []float64{0, 0.5}),
		Mixtures: tall([]float64{1, 0}, []float64{1, 0}, []float64{0, 1}, []float64{0, 1}),
		Anchors:  []int{0, 2}, TopicJoint: []float64{0.5, 0, 0, 0.5},
	}
	// C has 1/4 at (0,0) and (1,1), 1/8 at (0,1), (1,0), (2,3) and (3,2); B·A·Bᵀ is 1/8 within each topic.
	c, p, _ := coOccurrences(docs, 4)
	want := naiveDistances(c, p, topics, []int{0})
	near(t, "off-diagonal approximation", want["relative_off_diagonal_approximation"], 0)
	near(t, "approximation", want["approximation"], 0.25)
	for _, frequent := range []int{4, -1} { // the latter: the topics span what the diagonals leave
		got := project(t, docs, topics, metric.Options{Frequent: frequent, Columns: 32})
		near(t, "off-diagonal approximation", got.OffDiagonalApproximation.Value, 0)
		near(t, "approximation", got.Approximation.Value, 0.25)
	}
}

func TestEstimatesAgainstDense(t *testing.T) {
	const n, k, seeds = 400, 5, 30
	docs, topics, base := drawn(n, k, 500), someTopics(n, k, 2), []int{0, 10, 20, 30, 200, 300}
	dense, m, err := sketch.Dense(context.Background(), inBatches(docs, 50), n, nil, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := metric.DenseDistances(context.Background(), dense, m.Probabilities(), topics, base, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := byName(exact)
	for _, columns := range []int{64, 128} {
		bias, square, claimed := map[string]float64{}, map[string]float64{}, map[string]float64{}
		for seed := range uint64(seeds) {
			got := project(t, docs, topics, metric.Options{Seed: seed, Columns: columns, Frequent: 32, Base: base})
			for name, e := range byName(got) {
				off := e.Value/want[name].Value - 1
				bias[name] += off / seeds
				square[name] += off * off / seeds
				claimed[name] += e.StandardError * e.StandardError / want[name].Value / want[name].Value / seeds
			}
		}
		bound := math.Sqrt(1 / (2 * float64(columns)))
		for name := range want {
			measured, stated := math.Sqrt(square[name]), math.Sqrt(claimed[name])
			t.Logf("L=%d: %-36s off by %+.3f %% on average, standard error %.3f %%, stated %.3f %%", columns, name,
				100*bias[name], 100*measured, 100*stated)
			if measured > bound {
				t.Errorf("%s: a standard error of %g, and the bound is %g", name, measured, bound)
			}
			// Known from 30 seeds, and from 15 degrees of freedom each, to some 15 %.
			if ratio := measured / stated; ratio < 0.6 || ratio > 1.6 {
				t.Errorf("%s: a standard error of %g is stated, and it is %g", name, stated, measured)
			}
			if math.Abs(bias[name]) > 4*measured/math.Sqrt(seeds) {
				t.Errorf("%s: off by %g on average, with a standard error of %g", name, bias[name], measured)
			}
		}
	}
}

func TestEstimatesDoNotDependOnPasses(t *testing.T) {
	const n, k = 90, 3
	docs, topics := drawn(n, k, 120), someTopics(n, k, 3)
	opts := metric.Options{Seed: 5, Columns: 50, Frequent: 10, Base: []int{1, 2}}
	want := byName(project(t, docs, topics, opts))
	for _, workers := range []int{1, 2, 3, 7} {
		opts.Workers = workers
		for name, e := range byName(project(t, docs, topics, opts)) {
			if e != want[name] {
				t.Errorf("%d workers: %s is %v, and was %v", workers, name, e, want[name])
			}
		}
	}
	opts.ProjectionBytes = 24 * n * 16 // four passes
	for name, e := range byName(project(t, docs, topics, opts)) {
		near(t, name, e.Value, want[name].Value)
		if math.Abs(e.StandardError-want[name].StandardError) > 1e-9*e.Value {
			t.Errorf("%s: standard error %g, want %g", name, e.StandardError, want[name].StandardError)
		}
	}
}

func TestDistancesThatCannotBeHad(t *testing.T) {
	const n, k = 30, 3
	docs, topics := drawn(n, k, 60), someTopics(n, k, 4)
	bare := project(t, docs, &metric.Topics{Items: topics.Items}, metric.Options{})
	for name, e := range byName(bare) {
		if !math.IsNaN(e.Value) {
			t.Errorf("%s of topics without anything is %v", name, e.Value)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	dense, m, err := sketch.Dense(context.Background(), inBatches(docs, 50), n, nil, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := metric.DenseDistances(cancelled, dense, m.Probabilities(), topics, nil,
		2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, _, err := sketch.CountMarginals(cancelled, inBatches(docs, 50), n, nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := metric.Score(cancelled, inBatches(docs, 50), topics,
		metric.Options{DenseBytes: metric.NeverDense}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
