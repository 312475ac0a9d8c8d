package infer

import (
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/internal/process"
	"anchorage/internal/synth"
)

// world draws documents with known mixtures from the topics of a drawn corpus.
type world struct {
	*synth.Drawn
	truth *synth.Truth
	alpha []float64
}

// newWorld draws topics, with K Dirichlet parameters that differ and sum to the concentration.
func newWorld(items, topics int, concentration float64) *world {
	m := synth.Model{Items: items, Topics: topics, Documents: 1, Seed: 5, Spread: 3}
	for k := range topics {
		m.Alpha = append(m.Alpha, concentration*float64(k%3+1)/float64(2*topics))
	}
	drawn := m.Plant()
	return &world{drawn, drawn.Truth, m.Alpha}
}

// inferrer returns an Inferrer under the true topics.
func (w *world) inferrer(tb testing.TB, o Options) *Inferrer { return under(tb, w.truth, o) }

// under returns an Inferrer under the true topics of a corpus.
func under(tb testing.TB, truth *synth.Truth, o Options) *Inferrer {
	tb.Helper()
	t, err := New(truth.Items, truth.Topics, truth.CopyRow, truth.Correlations, o)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// drawn returns a corpus and an Inferrer under its true topics.
func drawn(tb testing.TB, m synth.Model, o Options) (*corpus.Documents, *Inferrer) {
	tb.Helper()
	docs, truth := m.Draw()
	return docs, under(tb, truth, o)
}

// accuracy is what a method makes of documents with known mixtures.
type accuracy struct {
	error    float64 // root of the mean of ‖θ̂ − θ‖²
	top      float64 // root of the mean of (θ̂_top − θ_top)²
	stated   float64 // root of the mean of the squared deviations
	coverage float64 // share of the 90 % intervals of θ_top that hold it
}

// measure infers documents of n tokens.
func (w *world) measure(tb testing.TB, o Options, documents, n int) (a accuracy) {
	worker, k := w.inferrer(tb, o).Worker(), len(w.alpha)
	mixture := make([]float32, k)
	for d := range documents {
		items, counts, theta := w.Known(d, n)
		r := worker.Infer(mixture, items, counts)
		for j, v := range mixture {
			a.error += (float64(v) - theta[j]) * (float64(v) - theta[j])
		}
		m := float64(mixture[r.Top])
		a.top += (m - theta[r.Top]) * (m - theta[r.Top])
		a.stated += r.Deviation * r.Deviation
		if low, high := Interval(m, r.Deviation, 0.9); low <= theta[r.Top] && theta[r.Top] <= high {
			a.coverage++
		}
	}
	for _, v := range []*float64{&a.error, &a.top, &a.stated} {
		*v = math.Sqrt(*v / float64(documents))
	}
	a.coverage /= float64(documents)
	return a
}

// TestErrorAndSpread draws documents of known mixtures. Errors fall as documents grow, the stated deviation is that of
// the errors, and the intervals hold the truth as often as they say.
func TestErrorAndSpread(t *testing.T) {
	long.Unwatched(t)
	for _, c := range []struct{ topics, concentration float64 }{{10, 1}, {40, 3}} {
		w := newWorld(1200, int(c.topics), c.concentration)
		before := math.Inf(1)
		for _, n := range []int{2, 8, 32, 128, 512} {
			a := w.measure(t, Options{}, 1000, n)
			t.Logf("K %v, %d tokens: error %.3f, of the top topic %.3f, stated %.3f, coverage %.3f", c.topics, n, a.error, a.top,
				a.stated, a.coverage)
			if a.error > 0.9*before {
				t.Errorf("K %v: the error is %.3f with %d tokens, after %.3f with fewer", c.topics, a.error, n, before)
			}
			before = a.error
			if q := a.stated / a.top; q < 0.8 || q > 1.25 {
				t.Errorf("K %v, %d tokens: the stated deviation is %.2f times that of the errors", c.topics, n, q)
			}
			if a.coverage < 0.82 || a.coverage > 0.98 {
				t.Errorf("K %v, %d tokens: 90 %% intervals hold the truth in %.1f %% of the documents", c.topics, n, 100*a.coverage)
			}
		}
	}
}

// TestCollapsedAgainstDefinition iterates the update of the package comment in double precision.
func TestCollapsedAgainstDefinition(t *testing.T) {
	w := newWorld(300, 7, 1)
	inferrer := w.inferrer(t, Options{Tolerance: 1e-6, Iterations: 10000})
	worker, alpha := inferrer.Worker(), inferrer.Alpha()
	row, mixture := w.truth.CopyRow, make([]float32, 7)
	for d := range 30 {
		items, counts, _ := w.Known(d, 1+d)
		gamma := make([][]float64, len(items))
		a := slices.Clone(alpha)
		update := func(i int, from []float64) {
			b, sum := make([]float64, 7), 0.0
			row(b, int(items[i]))
			for k := range b {
				b[k] *= from[k]
				sum += b[k]
			}
			for k := range b {
				b[k] /= sum
			}
			gamma[i] = b
		}
		for i := range items {
			update(i, alpha)
		}
		for i, x := range counts {
			for k, g := range gamma[i] {
				a[k] += float64(x) * g
			}
		}
		for range 1000 {
			for i, x := range counts {
				without, old := slices.Clone(a), gamma[i]
				for k := range without {
					without[k] -= old[k]
				}
				update(i, without)
				for k := range a {
					a[k] += float64(x) * (gamma[i][k] - old[k])
				}
			}
		}
		sum := 0.0
		for _, v := range a {
			sum += v
		}
		r := worker.Infer(mixture, items, counts)
		for k, v := range mixture {
			if math.Abs(float64(v)-a[k]/sum) > 1e-4 {
				t.Fatalf("document %d, topic %d: %v, want %v", d, k, v, a[k]/sum)
			}
		}
		logs, b := 0.0, make([]float64, 7)
		for i, x := range counts {
			p := 0.0
			row(b, int(items[i]))
			for k := range b {
				p += b[k] * a[k] / sum
			}
			logs += float64(x) * math.Log(p)
		}
		if want := logs / float64(d+1); math.Abs(r.LogLikelihood-want) > 1e-3 || r.Known != int64(d+1) {
			t.Fatalf("document %d: log-likelihood %v of %d tokens, want %v", d, r.LogLikelihood, r.Known, want)
		}
	}
}

// TestAscentSetsTopicsAside holds an ascent that sets topics aside against one with all of them.
func TestAscentSetsTopicsAside(t *testing.T) {
	const k = 40
	w := newWorld(1200, k, 1)
	step := Step{Prior: w.alpha, Tolerance: 1e-9, Iterations: 3000}
	row, aside := w.truth.CopyRow, 0
	var ascent Ascent
	for d := range 50 {
		items, counts, _ := w.Known(d, 40)
		table, rows, x := make([]float64, len(items)*k), []int32(nil), []float64(nil)
		for i, item := range items {
			row(table[i*k:][:k], int(item))
			rows, x = append(rows, int32(i)), append(x, float64(counts[i]))
		}
		local := Local{A: make([]float64, k), T: make([]float64, k), Resp: make([]float64, k),
			Norms: make([]float64, len(items))}
		ascent.topics = nil
		ascent.Infer(&step, table, rows, x, local, false)
		if len(ascent.topics) > 0 && 2*len(ascent.topics) < k {
			aside++
		}
		a, terms, sums, norms := slices.Clone(w.alpha), make([]float64, k), make([]float64, k), make([]float64, len(items))
		for j := range a {
			a[j]++
		}
		for range 3000 {
			kernel.ExpDigamma(terms, a)
			clear(sums)
			kernel.Mixture(rows, x, table, terms, norms, sums)
			for j := range a {
				a[j] = w.alpha[j] + sums[j]*terms[j]
			}
		}
		for j := range a {
			if math.Abs(a[j]-local.A[j]) > 1e-4*(1+a[j]) {
				t.Errorf("document %d, topic %d: %v, want %v", d, j, local.A[j], a[j])
			}
		}
	}
	if aside < 25 {
		t.Errorf("topics were set aside in %d documents only: the test is idle", aside)
	}
}

// TestUnknownAndEmpty gives documents of which little or nothing is known.
func TestUnknownAndEmpty(t *testing.T) {
	const n, k = 4, 3
	rows := [][]float64{{0.5, 0, 0}, {0.5, 0.5, 0.1}, {0, 0.5, 0.9}, {0, 0, math.NaN()}}
	joint := []float64{0.3, 0.05, 0.05, 0.05, 0.2, 0.05, 0.05, 0.05, 0.2}
	inferrer, err := New(n, k, func(dst []float64, i int) { copy(dst, rows[i]) }, joint, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, mixture := inferrer.Worker(), make([]float32, k)
	for _, document := range [][]int32{nil, {-1}, {3}, {3, -1}} { // no topic has item 3
		r := w.Infer(mixture, document, slices.Repeat([]int32{2}, len(document)))
		if r.Known != 0 || r.Unknown != 2*int64(len(document)) || !math.IsNaN(r.LogLikelihood) || r.Top != 0 {
			t.Errorf("document %v: %+v", document, r)
		}
		if math.Abs(float64(mixture[0])-0.4) > 1e-3 || !(r.Deviation > 0.1) {
			t.Errorf("document %v: mixture %v ± %v is not that of the prior", document, mixture, r.Deviation)
		}
	}
	r := w.Infer(mixture, []int32{0, -1, 2}, []int32{1, 5, 1_000_000})
	if r.Known != 1_000_001 || r.Unknown != 5 || !(mixture[0] < 0.01) || math.IsNaN(r.LogLikelihood) ||
		!(r.Deviation >= 0 && r.Deviation < 0.5) {
		t.Errorf("%v, %+v", mixture, r)
	}
}

// TestLongDocuments gives a document of more entries than are held at a time, and half of it.
func TestLongDocuments(t *testing.T) {
	w := newWorld(3*blockRows, 12, 2)
	items, counts, theta := w.Known(3, 60*blockRows)
	if len(items) <= blockRows {
		t.Fatalf("only %d items", len(items))
	}
	worker, mixture := w.inferrer(t, Options{}).Worker(), make([]float32, 12)
	r := worker.Infer(mixture, items, counts)
	for k, v := range mixture {
		if math.Abs(float64(v)-theta[k]) > 0.01 {
			t.Errorf("topic %d: %v, want %v", k, v, theta[k])
		}
	}
	if !(r.Deviation > 0 && r.Deviation < 0.01) || math.IsNaN(r.LogLikelihood) {
		t.Errorf("%+v", r)
	}
	if len(worker.table) > blockRows*len(worker.a) {
		t.Errorf("%d values are held of a document of %d items", len(worker.table), len(items))
	}
}

// TestNoAllocation infers documents once there is room for them.
func TestNoAllocation(t *testing.T) {
	w := newWorld(1200, 20, 2)
	worker, mixture := w.inferrer(t, Options{}).Worker(), make([]float32, 20)
	items, counts, _ := w.Known(1, 100)
	worker.Infer(mixture, items, counts)
	if n := testing.AllocsPerRun(10, func() { worker.Infer(mixture, items, counts) }); n != 0 {
		t.Errorf("%v allocations for a document", n)
	}
}

// BenchmarkInfer infers documents of about 30 items under 100 topics.
func BenchmarkInfer(b *testing.B) {
	docs, t := drawn(b, synth.Model{Items: 20000, Topics: 100, Documents: 2000, Tokens: 35, Seed: 1}, Options{})
	w := t.Worker()
	mixture := make([]float32, 100)
	b.ReportAllocs()
	d, before := 0, process.CPUSeconds()
	for b.Loop() {
		items, counts := docs.Row(d)
		w.Infer(mixture, items, counts)
		d = (d + 1) % docs.Documents()
	}
	b.ReportMetric(1e9*(process.CPUSeconds()-before)/float64(b.N), "cpu-ns/op") // other programs may run beside this one
	b.ReportMetric(float64(docs.Entries())/float64(docs.Documents()), "items/op")
}
