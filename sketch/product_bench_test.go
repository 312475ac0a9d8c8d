//go:build unix

// This file times what a pass costs besides the reading.

package sketch

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// zipfDocuments are 80,000 documents of 20 tokens over a million items with Zipf frequencies.
var zipfDocuments = sync.OnceValue(func() *corpus.Documents {
	docs, _ := synth.Model{Items: 1_000_000, Topics: 100, Documents: 80_000, Tokens: 20, Seed: 1}.Draw()
	return docs
})

// cpuSeconds returns the processor time of all threads so far: what other programs do on the machine is not in it.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// preparation makes ready for a benchmark and returns what is timed.
type preparation func(b *testing.B, p *product, docs *corpus.Documents) func()

// eachPhase runs a benchmark for the random signs of a first pass, with the marginals that it gathers, and for the
// dense block of a later one.
func eachPhase(b *testing.B, prepare preparation) {
	docs := zipfDocuments()
	const n = 1_000_000
	for _, cols := range []int{64, 130} {
		out := matrix.NewTall(n, cols)
		for i := range n {
			clear(out.Row(i)) // touched, so that no page is missing when the clock runs
		}
		frequency := make([]int64, n)
		for _, item := range docs.Items {
			frequency[item]++
		}
		units := newTally(NewMarginals(n, nil, 0), frequency, mostShare).units
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = random.At(0, random.Test, uint64(i), 0)
		}
		signs := omega{seed: 1, cols: cols}
		dense := matrix.NewTall(n, cols)
		for i := range n {
			setRow(signs, dense.Row(i), 0, keys[i])
		}
		for _, workers := range []int{1, 2} {
			for _, kind := range []string{"signs", "dense", "single"} {
				p := &product{out: out, workers: workers, units: units}
				if kind == "signs" {
					p.tally = newTally(NewMarginals(n, nil, 0), frequency, mostShare)
					p.rows = func() rowAdder { return signs.rows(func(item int) uint64 { return keys[item] }) }
				} else {
					p.rows = denseRows(dense)
					if kind == "single" {
						var err error
						if p.single, err = singles(b.Context(), dense, workers); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.Run(fmt.Sprintf("of=%s/L=%d/workers=%d", kind, cols, workers), func(b *testing.B) {
					step := prepare(b, p, docs)
					before := cpuSeconds()
					for b.Loop() {
						step()
					}
					entries := float64(b.N) * float64(docs.Entries()) / 1e6
					b.ReportMetric(entries/b.Elapsed().Seconds(), "Mnnz/s")
					b.ReportMetric(entries/(cpuSeconds()-before), "Mnnz/cpu-s")
				})
			}
		}
	}
}

// batchDocuments is about what a batch of the compact copy holds of documents of 20 tokens.
const batchDocuments = 6500

// eachBatch calls fn with the documents of every batch.
func eachBatch(b *testing.B, docs *corpus.Documents, fn func(first, last int) error) {
	for first := 0; first < docs.Documents(); first += batchDocuments {
		if err := fn(first, min(first+batchDocuments, docs.Documents())); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProject times z = Xᵀ·h.
func BenchmarkProject(b *testing.B) {
	eachPhase(b, func(b *testing.B, p *product, docs *corpus.Documents) func() {
		return func() {
			eachBatch(b, docs, func(first, last int) error { return p.project(context.Background(), docs, first, last) })
		}
	})
}

// BenchmarkAccumulate times Y += h·z with the sorting.
func BenchmarkAccumulate(b *testing.B) {
	eachPhase(b, func(b *testing.B, p *product, docs *corpus.Documents) func() {
		ctx := context.Background()
		if err := p.project(ctx, docs, 0, batchDocuments); err != nil {
			b.Fatal(err)
		}
		return func() {
			eachBatch(b, docs, func(first, last int) error { return p.accumulate(ctx, docs, first, last) })
		}
	})
}

// BenchmarkAdd times a whole pass without the reading.
func BenchmarkAdd(b *testing.B) {
	eachPhase(b, func(b *testing.B, p *product, docs *corpus.Documents) func() {
		pass := inBatches(docs, batchDocuments)
		return func() {
			err := pass(context.Background(), func(part *corpus.Documents) error {
				return p.add(context.Background(), part)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEvidence times the evidence pass of 100 random vectors, without the reading.
func BenchmarkEvidence(b *testing.B) {
	const n, k = 1_000_000, 100
	docs, ctx := zipfDocuments(), b.Context()
	vectors, signs := matrix.NewTall(n, k), omega{seed: 1, cols: k}
	for i := range n {
		setRow(signs, vectors.Row(i), 0, random.At(0, random.Test, uint64(i), 0))
		floats.Scale(1e-3, vectors.Row(i))
	}
	marginals, _, err := CountMarginals(ctx, inBatches(docs, batchDocuments), n, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	eigen := &Eigen{Values: make([]float64, k), Vectors: vectors}
	for i := range eigen.Values {
		eigen.Values[i] = 1 / float64(i+1)
	}
	const rounds = 20 // over the documents, so that what is done once for the items is not what is timed
	pass := func(ctx context.Context, visit func(*corpus.Documents) error) error {
		for range rounds {
			if err := inBatches(docs, batchDocuments)(ctx, visit); err != nil {
				return err
			}
		}
		return nil
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			before := cpuSeconds()
			for b.Loop() {
				if _, err := MeasureEvidence(ctx, pass, marginals, eigen, EvidenceOptions{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(rounds*float64(b.N)*float64(docs.Entries())/1e6/(cpuSeconds()-before), "Mnnz/cpu-s")
		})
	}
}

// BenchmarkRowsInOrder times reading and writing all rows in their order: what memory allows. Of the entries of a batch
// of zipfDocuments, 45 in 100 are the first of their item, and as many rows are read and written.
func BenchmarkRowsInOrder(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			y := matrix.NewTall(1_000_000, 128)
			x := make([]float64, y.Stride())
			for i := range y.Rows() {
				y.Row(i)[0] = 1
			}
			for b.Loop() {
				err := kernel.Parallel(context.Background(), workers, y.Blocks(), func(block int) error {
					_, first, last := y.Block(block)
					for i := first; i < last; i++ {
						kernel.Axpy(1, x, y.PaddedRow(i))
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*16*float64(y.Rows()*y.Stride())/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}
