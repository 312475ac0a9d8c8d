// This file infers the local variables of a batch while the global variables stay fixed.

package bayes

import (
	"context"
	"math"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/bayes/internal/batch"
	"anchorage/internal/kernel"
)

// rowBlock is how many items one call of parallel work handles. Only the time depends on it.
const rowBlock = 64

// engine holds a batch, what a state says of its items, and the local variables of its documents. All rows have the
// state's stride, and zeros beyond K.
type engine struct {
	s *State
	b *batch.Batch

	factor    []float64 // K: the factors of exp(ψ(g_vk)), of which the greatest is 1
	factorLog float64   // the logarithm of what all factors were divided by
	masses    []float64 // K: Σ_v E β_vk
	// a row per item of the batch: exp(E ln β_vk + the part of E ln ω_kd that is the same for all d), scaled to a maximum
	// of 1
	table    []float64
	tableLog []float64 // the logarithm of what each row was divided by

	a         []float64 // a row per document: a_kd, or ω_kd with correlated NMF
	t         []float64 // a row per document: times a row of the table it is in proportion to the responsibilities
	resp      []float64 // a row per document: Σ_v X_vd p_k
	u         []float64 // a row of s.latent values per document; correlated NMF
	norms     []float64 // per entry: Σ_k table·t
	identity  []int32   // 0, 1, 2, …
	warm      bool      // a and u hold values to begin with
	highestSq float64   // mean ‖ℓ_k‖²
	how       infer.Step
}

func newEngine(s *State) *engine {
	e := &engine{s: s, b: batch.New(s.Corpus.Items), factor: make([]float64, s.stride), masses: make([]float64, s.stride)}
	for i := range max(s.Options.Topics, s.Options.Latent) {
		e.identity = append(e.identity, int32(i))
	}
	e.how = infer.Step{Prior: slices.Repeat([]float64{s.Options.A0}, s.Options.Topics),
		Tolerance:  s.Options.LocalTolerance,
		Iterations: s.Options.LocalIterations}
	return e
}

// infer optimises the local variables of all documents of the batch. The error is that of ctx: then those of some
// documents are missing.
func (e *engine) infer(ctx context.Context) error {
	e.prepare()
	e.makeRoom(e.b.Documents())
	return e.eachDocument(ctx, func(work *ascent, d int) {
		rows, counts, first := e.b.Document(d)
		e.optimise(work, rows, counts, e.local(d, first, len(rows)), e.warm)
	})
}

// eachDocument calls fn for every document of the batch, on several goroutines, until ctx is done. It returns the error
// of ctx.
func (e *engine) eachDocument(ctx context.Context, fn func(work *ascent, d int)) error {
	return kernel.ParallelWith(ctx, e.s.Options.Workers, e.b.Documents(), func() func(int) {
		work := newAscent(e.s)
		return func(d int) { fn(&work, d) }
	})
}

// local are the variables of one document.
type local struct{ a, t, resp, u, norms []float64 }

// local returns the variables of document d, whose entries begin at first.
func (e *engine) local(d, first, entries int) local {
	stride, latent := e.s.stride, e.s.latent
	l := local{a: e.a[d*stride:][:stride], t: e.t[d*stride:][:stride], resp: e.resp[d*stride:][:stride],
		norms: e.norms[first:][:entries]}
	if e.s.locations != nil {
		l.u = e.u[d*latent:][:latent]
	}
	return l
}

// makeRoom makes room for the variables of the given number of documents.
func (e *engine) makeRoom(documents int) {
	stride, latent := e.s.stride, e.s.latent
	if len(e.a) < documents*stride || len(e.u) < documents*latent {
		for _, rows := range []*[]float64{&e.a, &e.t, &e.resp} {
			*rows = make([]float64, documents*stride)
		}
		e.u = make([]float64, documents*latent)
	}
	e.norms = batch.Resize(e.norms, len(e.b.Rows))
}

// optimise finds the local variables of a document with the given entries: by the ascent of package infer, which
// alternates (11.24) and (11.28), or by climb with correlated NMF.
func (e *engine) optimise(work *ascent, rows []int32, counts []float64, l local, warm bool) {
	if e.s.locations != nil {
		e.climb(work, rows, counts, l, warm)
		return
	}
	work.dirichlet.Infer(&e.how, e.table, rows, counts, infer.Local{A: l.a, T: l.t, Resp: l.resp, Norms: l.norms}, warm)
}

// prepare computes what depends only on the state: for all topics, and for the items of the batch.
func (e *engine) prepare() {
	s := e.s
	e.factorLog = math.Inf(-1)
	for k := range s.Options.Topics {
		e.masses[k] = s.mass(k)
		e.factor[k] = s.expectation(k)
		e.factorLog = max(e.factorLog, e.factor[k])
	}
	for k := range s.Options.Topics {
		e.factor[k] = math.Exp(e.factor[k] - e.factorLog)
	}
	e.highestSq = dot(s.locations, s.locations) / float64(s.Options.Topics)
	rows := len(e.b.Items)
	e.table, e.tableLog = batch.Resize(e.table, rows*s.stride), batch.Resize(e.tableLog, rows)
	kernel.Each(s.Options.Workers, (rows+rowBlock-1)/rowBlock, func(block int) {
		for r := block * rowBlock; r < min((block+1)*rowBlock, rows); r++ {
			e.tableLog[r] = e.fillRow(e.table[r*s.stride:][:s.stride], int(e.b.Items[r]))
		}
	})
}

// expectation returns E ln β_vk − ψ(g_vk) plus the part of E ln θ_kd that is the same for all documents, −ln b_k.
func (s *State) expectation(k int) float64 {
	switch s.Options.Model {
	case LDA:
		return -kernel.Digamma(s.sums[k])
	case BNMF:
		return -math.Log(s.rates[k]) - math.Log(s.localRate(k))
	}
	return -math.Log(s.rates[k])
}

// localRate returns b_k of Bayesian NMF (11.29).
func (s *State) localRate(k int) float64 { return s.Options.B0 + s.mass(k) }

// fillRow sets row to the item's row of the table and returns the logarithm of what it was divided by. Where every
// topic has so little of the item that exp(ψ(g)) underflows, below about g = 1/460, it computes with logarithms.
func (e *engine) fillRow(row []float64, item int) float64 {
	const least = 1e-200
	topics := e.s.Options.Topics
	clear(row[topics:])
	e.s.Row(row[:topics], item)
	kernel.ExpDigamma(row, row)
	greatest := 0.0
	for k, f := range e.factor {
		row[k] *= f
		greatest = max(greatest, row[k])
	}
	if greatest >= least {
		inverse := 1 / greatest
		for k := range row {
			row[k] *= inverse
		}
		return math.Log(greatest)
	}
	e.s.Row(row[:topics], item)
	highest := math.Inf(-1)
	for k := range topics {
		row[k] = kernel.Digamma(row[k]) + math.Log(e.factor[k])
		highest = max(highest, row[k])
	}
	for k := range topics {
		row[k] -= highest
	}
	kernel.Exp(row, row)
	clear(row[topics:])
	return highest
}

// shares sets dst, K values, to the topics' shares in a document under posterior means: the share of its expected
// tokens that comes from each topic, Σ_v E β_vk E ω_kd / Σ_j Σ_v E β_vj E ω_jd. They sum to 1.
func (e *engine) shares(dst []float64, l local) {
	sum := 0.0
	for k := range dst {
		dst[k] = e.masses[k] * l.a[k]
		if e.s.Options.Model == BNMF {
			dst[k] /= e.s.localRate(k)
		}
		sum += dst[k]
	}
	for k := range dst {
		dst[k] /= sum
	}
}
