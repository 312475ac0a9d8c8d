// This file times products of tall matrices and visits of random rows, the two loops that most of a fit waits for.
// BenchmarkRandomRows is the limit of a pass over documents.

package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

func BenchmarkTallProducts(b *testing.B) {
	for _, k := range []int{50, 100, 200} {
		for _, workers := range []int{1, 2} {
			benchmarkTall[float32](b, k, workers)
			benchmarkTall[float64](b, k, workers)
		}
	}
}

func benchmarkTall[T aligned.Real](b *testing.B, k, workers int) {
	const n = 24_576
	rng, ctx := rand.New(rand.NewPCG(1, uint64(k))), context.Background()
	p, identity := matrix.New[T](n, k), make([]float64, k*k)
	for i := range n {
		for j := range k {
			p.Row(i)[j] = T(rng.NormFloat64())
		}
	}
	for j := range k {
		identity[j*k+j] = 1 // repeated products neither grow nor shrink
	}
	dst, flops := matrix.Like(p), 2*n*float64(k)*float64(k)
	for _, product := range []struct {
		name  string
		fn    func()
		flops float64
	}{
		{"Multiply", func() { Multiply(ctx, dst, p, identity, workers) }, flops},
		{"Transform", func() { Transform(ctx, p, identity, k, workers) }, flops},
		{"Gram", func() { Gram(ctx, p, dst, workers) }, flops},
		{"Gram/same", func() { Gram(ctx, p, p, workers) }, flops * float64(k+1) / float64(2*k)}, // symmetric
	} {
		b.Run(fmt.Sprintf("%s/%T/K=%d/workers=%d", product.name, T(0), k, workers), func(b *testing.B) {
			for b.Loop() {
				product.fn()
			}
			b.ReportMetric(product.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkRandomRows visits random rows of a matrix of 256 MiB, larger than the caches: what memory allows for the
// rows of a pass.
func BenchmarkRandomRows(b *testing.B) {
	const visits, together = 1 << 13, 32 // the rows of a document are added up together
	for _, columns := range []int{64, 128} {
		rows := matrix.NewTall(256<<20/8/columns, columns)
		single := matrix.NewSingle(rows.Rows(), columns)
		for i := range rows.Rows() {
			rows.Row(i)[0], single.Row(i)[0] = 1, 1 // every page is there before the clock runs
		}
		order, ones := make([]int32, visits), make([]float64, together)
		rng := rand.New(rand.NewPCG(2, 1))
		sum, singles := make([]float64, rows.Stride()), make([]float32, single.Stride())
		for name, visit := range map[string]func(from int){
			"change": func(from int) {
				for _, i := range order[from : from+together] {
					Axpy(1, sum, rows.PaddedRow(int(i)))
				}
			},
			"add":        func(from int) { CombineRows(sum, rows, order[from:from+together], ones) },
			"add single": func(from int) { CombineSingles(singles, single, order[from:from+together], ones) },
		} {
			b.Run(fmt.Sprintf("%s/L=%d", name, columns), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					for i := range order {
						order[i] = rng.Int32N(int32(rows.Rows()))
					}
					b.StartTimer()
					for from := 0; from < visits; from += together {
						visit(from)
					}
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/visits, "ns/row")
			})
		}
	}
}
