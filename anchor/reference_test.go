// This file holds the methods against the results of the authors' own program, in shared/reference/README.md. It needs the
// data, and runs when ANCHORAGE_REFERENCE names the folder that holds it.

package anchor_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/rectify"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// figures are those of the table.
type figures struct {
	recovery, relativeRecovery, relativeApproximation     float64
	dominancy, relativeDominancy, specificity             float64
	dissimilarity, coherence, correlations, approximation float64
}

const referenceTopics = 25

// reference is NIPS with the vocabulary of the references.
type reference struct {
	docs *stream.Documents
	c    *kernel.Tall
	m    *sketch.Marginals
}

func loadReference(t *testing.T) *reference {
	t.Helper()
	folder := os.Getenv("ANCHORAGE_REFERENCE")
	if folder == "" {
		t.Skip("ANCHORAGE_REFERENCE names no folder with the reference data")
	}
	vocabulary, err := stream.ReadVocabulary(filepath.Join(folder, "reference", "nips-n5000.dict"))
	if err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover([]string{filepath.Join(folder, "data", "nips", "docword.nips.txt.gz")}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{docs: &stream.Documents{Offsets: []int32{0}}}
	view := stream.View{MinItems: 3, MinTokens: 5}
	var seen stream.Documents
	_, err = stream.Read(t.Context(), shards, stream.ReadOptions{Vocabulary: vocabulary, SkipDigests: true}, func(docs *stream.Documents) error {
		view.Apply(&seen, docs)
		for d := range seen.Documents() {
			items, counts := seen.Row(d)
			r.docs.Items, r.docs.Counts = append(r.docs.Items, items...), append(r.docs.Counts, counts...)
			r.docs.Offsets = append(r.docs.Offsets, int32(len(r.docs.Items)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.c, r.m, err = sketch.Dense(t.Context(), r.pass, vocabulary.Len(), 0, 0); err != nil {
		t.Fatal(err)
	}
	if r.m.Documents != 2483 {
		t.Fatalf("%d documents, want 2483", r.m.Documents)
	}
	return r
}

func (r *reference) pass(_ context.Context, fn func(*stream.Documents) error) error {
	return fn(r.docs)
}

// start returns V·√D of the exact eigenpairs.
func (r *reference) start(t *testing.T) *kernel.Tall {
	t.Helper()
	eigen, err := rectify.Eigen(t.Context(), rectify.Dense(r.c, 0), r.c.Rows(), referenceTopics, rectify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("eigenvalues %.6g … %.6g in %d products", eigen.Values[0], eigen.Values[referenceTopics-1], eigen.Passes)
	return eigen.Factor(0)
}

// measure computes the figures of topics against the unrectified C.
func (r *reference) measure(topics *anchor.Topics) figures {
	n, k := r.c.Rows(), topics.K
	p := r.m.Probabilities()
	normalised, corners := 0.0, make([]float64, k*n)
	for i := range n {
		for _, v := range r.c.Row(i) {
			normalised += v * v / (p[i] * p[i])
		}
	}
	for a, s := range topics.Anchors {
		for j, v := range r.c.Row(s) {
			corners[a*n+j] = v / p[s]
		}
	}
	b, transposed := make([]float64, n*k), make([]float64, k*n)
	for i := range n {
		topics.BRow(b[i*k:(i+1)*k], i)
		for a := range k {
			transposed[a*n+i] = b[i*k+a]
		}
	}
	var f figures
	mixed, model := kernel.NewTall(n, n), kernel.NewTall(n, n)
	kernel.Multiply(mixed, topics.Mixtures, corners, 0)
	ba := kernel.NewTall(n, k)
	for i, row := range chunks(kernel.Times(b, topics.Correlations, n, k, k), k) {
		copy(ba.Row(i), row)
	}
	kernel.Multiply(model, ba, transposed, 0)
	squares, error2 := 0.0, 0.0
	for i := range n {
		off := 0.0
		for j, v := range r.c.Row(i) {
			off += (mixed.Row(i)[j] - v/p[i]) * (mixed.Row(i)[j] - v/p[i])
			error2 += (model.Row(i)[j] - v) * (model.Row(i)[j] - v)
			squares += v * v
		}
		f.recovery += math.Sqrt(off) / float64(n)
	}
	f.relativeRecovery = f.recovery / math.Sqrt(normalised)
	f.approximation = math.Sqrt(error2)
	f.relativeApproximation = math.Sqrt(error2 / squares)
	r.measureTopics(&f, topics, b, p)
	return f
}

// measureTopics adds the figures that concern single topics.
func (r *reference) measureTopics(f *figures, topics *anchor.Topics, b, p []float64) {
	n, k := r.c.Rows(), topics.K
	square := 0.0
	for _, v := range topics.Correlations {
		f.correlations += v
		square += v * v
	}
	tops, times := make([][]int, k), make(map[int]int)
	for a := range k {
		sum := 0.0
		for l := range k {
			sum += topics.Correlations[a*k+l]
		}
		own := topics.Correlations[a*k+a]
		f.dominancy += own / sum / float64(k)
		f.relativeDominancy += own / math.Sqrt(square) / float64(k)
		for i := range n {
			if v := b[i*k+a]; v > 0 {
				f.specificity += v * math.Log(v/p[i]) / float64(k)
			}
			tops[a] = append(tops[a], i)
		}
		slices.SortStableFunc(tops[a], func(i, j int) int { return cmp.Compare(b[j*k+a], b[i*k+a]) })
		tops[a] = tops[a][:20]
		for _, i := range tops[a] {
			times[i]++
		}
	}
	pairs := r.pairs(times)
	for _, top := range tops {
		for at, i := range top {
			if times[i] == 1 {
				f.dissimilarity += 1 / float64(k)
			}
			for _, j := range top[:at] {
				f.coherence += math.Log((pairs[[2]int{i, j}]+0.01)/float64(r.m.DocumentFrequency[j])) / float64(k)
			}
		}
	}
}

// pairs counts the documents in which each two of the items come together.
func (r *reference) pairs(of map[int]int) map[[2]int]float64 {
	pairs := make(map[[2]int]float64)
	for d := range r.docs.Documents() {
		items, _ := r.docs.Row(d)
		var chosen []int
		for _, item := range items {
			if of[int(item)] > 0 {
				chosen = append(chosen, int(item))
			}
		}
		for _, i := range chosen {
			for _, j := range chosen {
				pairs[[2]int{i, j}]++
			}
		}
	}
	return pairs
}

func chunks(values []float64, size int) [][]float64 {
	return slices.Collect(slices.Chunk(values, size))
}

// compare fails where a figure is further than share from what it is to be; 0 is not compared.
func compare(t *testing.T, got, want figures, share float64) {
	t.Helper()
	t.Logf("%+v", got)
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"recovery", got.recovery, want.recovery}, {"relative recovery", got.relativeRecovery, want.relativeRecovery},
		{"relative approximation", got.relativeApproximation, want.relativeApproximation},
		{"dominancy", got.dominancy, want.dominancy}, {"relative dominancy", got.relativeDominancy, want.relativeDominancy},
		{"specificity", got.specificity, want.specificity}, {"dissimilarity", got.dissimilarity, want.dissimilarity},
		{"coherence", got.coherence, want.coherence}, {"sum of A", got.correlations, want.correlations},
	} {
		if off := f.got/f.want - 1; math.Abs(off) > share && f.want != 0 {
			t.Errorf("%s is %.6g, the reference %.6g: off by %.2f %%", f.name, f.got, f.want, 100*off)
		}
	}
}

func (r *reference) law(t *testing.T, y *kernel.Tall) *anchor.Topics {
	t.Helper()
	topics, err := anchor.LAW(t.Context(), y, nil, anchor.Options{RowSums: anchor.RowSumsFactor})
	if err != nil {
		t.Fatal(err)
	}
	return topics
}

func (r *reference) aw(t *testing.T, c *kernel.Tall) *anchor.Topics {
	t.Helper()
	topics, err := anchor.AW(t.Context(), c, anchor.Options{Topics: referenceTopics})
	if err != nil {
		t.Fatal(err)
	}
	return topics
}

func TestReference(t *testing.T) {
	r := loadReference(t)
	n := r.c.Rows()
	t.Run("ENN+LAW", func(t *testing.T) {
		result, err := rectify.ENN(t.Context(), r.start(t), rectify.Options{Iterations: 50})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, r.measure(r.law(t, result.Factor)), figures{0.023942, 0.00923994, 0.314436, 0.427745, 0.149237, 1.467232, 7.60, -217.017, 1.06981, 0}, 0.01)
	})
	t.Run("AP+AW", func(t *testing.T) {
		result, err := rectify.AP(t.Context(), r.c.Copy(n, 0), referenceTopics, rectify.Options{Iterations: 150})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("last change %.3g", result.Iterations[149].Change)
		compare(t, r.measure(r.aw(t, result.Matrix)), figures{0.023035, 0.00888973, 0.304251, 0.407698, 0.154927, 1.487033, 7.84, -214.826, 1.01594, 0}, 0.01)
	})
	t.Run("AW without rectification", func(t *testing.T) {
		compare(t, r.measure(r.aw(t, r.c)), figures{}, 0)
	})
	for name, solver := range map[string]anchor.Solver{"ADMM": anchor.ADMM, "exponentiated gradient": anchor.ExponentiatedGradient} {
		t.Run("solvers agree: "+name, func(t *testing.T) { r.compareSolvers(t, solver) })
	}
	if testing.Short() {
		return
	}
	type method func(context.Context, rectify.Operator, *kernel.Tall, rectify.PALMOptions) (*rectify.Result, error)
	for _, m := range []struct {
		name       string
		run        method
		iterations int
	}{{"PALM+LAW", rectify.PALM, 100}, {"IPALM+LAW", rectify.IPALM, 100}, {"PALM+LAW converged", rectify.PALM, 1200}} {
		t.Run(m.name, func(t *testing.T) {
			result, err := m.run(t.Context(), rectify.Dense(r.c, 0), r.start(t), rectify.PALMOptions{Options: rectify.Options{Iterations: m.iterations}})
			if err != nil {
				t.Fatal(err)
			}
			last := result.Iterations[m.iterations-1]
			t.Logf("last change %.3g, J − ½‖C‖² %.6g", last.Change, last.Objective)
			compare(t, r.measure(r.law(t, result.Factor)), figures{}, 0)
		})
	}
	t.Run("PALM+LAW as coded", func(t *testing.T) { r.comparePALM(t) })
}

// compareSolvers infers with an iterative solver what the active set does.
func (r *reference) compareSolvers(t *testing.T, solver anchor.Solver) {
	y := r.start(t)
	want := r.law(t, y)
	got, err := anchor.LAW(t.Context(), y, nil, anchor.Options{RowSums: anchor.RowSumsFactor, Solver: solver})
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range r.c.Rows() {
		for k, v := range got.Mixtures.Row(i) {
			worst = max(worst, math.Abs(v-want.Mixtures.Row(i)[k]))
		}
	}
	t.Logf("mixtures differ by %.2g; %+v, active set %+v", worst, got.Stats.Solver, want.Stats.Solver)
	if worst > 1e-6 {
		t.Errorf("mixtures differ by %.2g", worst)
	}
}

// comparePALM runs PALM as the authors' program does, for the signs of eigenvectors that a random start may give: there they
// are not fixed, PALM drops the negative entries with its first step, and no two runs agree. The reference is one such run.
// That the iteration is theirs is for the tests of package rectify to show.
func (r *reference) comparePALM(t *testing.T) {
	want := figures{0.025786, 0.00995171, 0.323555, 0.374881, 0.134828, 1.519844, 7.08, -217.880, 1.03552, 0}
	start, rng := r.start(t), rand.New(rand.NewPCG(1, 1))
	var runs []figures
	for len(runs) < 12 {
		y := start.Copy(referenceTopics, 0)
		signs := make([]float64, referenceTopics*referenceTopics)
		for j := range referenceTopics {
			signs[j*referenceTopics+j] = float64(2*rng.IntN(2) - 1)
		}
		y.Transform(signs, referenceTopics, 0)
		if y.ColumnSums(0)[0] < 0 {
			continue // the first eigenvector has one sign: were it negative, its topic would be lost at once
		}
		result, err := rectify.PALM(t.Context(), rectify.Dense(r.c, 0), y, rectify.PALMOptions{Options: rectify.Options{Iterations: 100}, KeepSigns: true})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r.measure(r.law(t, result.Factor)))
		t.Logf("%+v", runs[len(runs)-1])
	}
	for _, f := range []struct {
		name string
		of   func(f figures) float64
	}{
		{"recovery", func(f figures) float64 { return f.recovery }},
		{"relative approximation", func(f figures) float64 { return f.relativeApproximation }},
		{"dominancy", func(f figures) float64 { return f.dominancy }},
		{"relative dominancy", func(f figures) float64 { return f.relativeDominancy }},
		{"specificity", func(f figures) float64 { return f.specificity }},
		{"dissimilarity", func(f figures) float64 { return f.dissimilarity }},
		{"coherence", func(f figures) float64 { return f.coherence }},
		{"sum of A", func(f figures) float64 { return f.correlations }},
	} {
		var mean, square float64
		for _, run := range runs {
			mean += f.of(run) / float64(len(runs))
		}
		for _, run := range runs {
			square += (f.of(run) - mean) * (f.of(run) - mean) / float64(len(runs)-1)
		}
		away := (f.of(want) - mean) / math.Sqrt(square)
		t.Logf("%s: %.6g ± %.2g over signs, the reference %.6g: %.2f deviations away", f.name, mean, math.Sqrt(square), f.of(want), away)
		if math.Abs(away) > 3 {
			t.Errorf("%s: the reference is %.2f deviations from what signs make of it", f.name, away)
		}
	}
}
