// This file measures the corrections: what building costs beside the bare product, and what an application costs.

package rectify

import (
	"context"
	"fmt"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// BenchmarkCorrections runs with K = 100, |I| = 10K+1000 and L = K+10 on one worker, so that seconds are those of a
// processor. gemm is only the negative part, build adds compaction and sums, keep also what goes to memory, fused is
// build with one application. apply is one from memory, spill one from the file, recompute one from nothing.
func BenchmarkCorrections(b *testing.B) {
	const k, rows = 100, 2000
	for _, n := range []int{20_000, 200_000} {
		for _, density := range []struct {
			name string
			bias float64
		}{{"1%", 2.33}, {"10%", 1.28}, {"30%", 0.52}, {"70%", -0.52}} {
			y, x := leaning(n, k, rows, density.bias), waves(n, k+ExtraColumns)
			name := fmt.Sprintf("N=%d/density=%s/", n, density.name)
			z := matrix.Like(x)
			if density.name == "10%" {
				b.Run(name+"gemm", func(b *testing.B) { benchmarkProduct(b, y, rows) })
				benchmarkBuild(b, name+"build", y, rows, 0, CorrectionsRecompute)
				benchmarkBuild(b, name+"keep", y, rows, 1, CorrectionsMemory)
			}
			b.Run(name+"fused", func(b *testing.B) {
				c := newCorrections(n, rows, Corrections{Mode: CorrectionsRecompute}, 1)
				cpu := cpuSeconds()
				for b.Loop() {
					if err := c.buildAndApply(context.Background(), y, z, x, 0); err != nil {
						b.Fatal(err)
					}
				}
				reportCPU(b, cpu)
				b.ReportMetric(c.density(), "density")
			})
			benchmarkApply(b, name+"apply", y, z, x, rows, CorrectionsMemory)
			if density.name == "10%" {
				benchmarkApply(b, name+"spill", y, z, x, rows, CorrectionsSpill)
				benchmarkApply(b, name+"recompute", y, z, x, rows, CorrectionsRecompute)
			}
		}
	}
}

// benchmarkProduct computes every tile of the negative part, and drops it.
func benchmarkProduct(b *testing.B, y *matrix.Single, rows int) {
	c := newCorrections(y.Rows(), rows, Corrections{}, 1)
	c.choose(kernel.SquaredNorms(context.Background(), y, 1))
	chosen, err := kernel.RowsOf(context.Background(), y, c.rows)
	if err != nil {
		b.Fatal(err)
	}
	negated := kernel.PackNegated(chosen, y.Cols())
	dense := newBuffer().dense
	cpu := cpuSeconds()
	for b.Loop() {
		for block := range y.Blocks() {
			values, first, last := y.Block(block)
			for low := first; low < last; low += kernel.TileRows {
				for column := 0; column < rows; column += kernel.TileColumns {
					negated.NegativePart(dense, kernel.TileColumns, column, min(kernel.TileColumns, rows-column),
						values[(low-first)*y.Stride():], y.Stride(), min(kernel.TileRows, last-low))
				}
			}
		}
	}
	reportCPU(b, cpu)
}

// reportCPU reports the seconds of processor time of an operation since the given reading.
func reportCPU(b *testing.B, before float64) {
	b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
}

func benchmarkBuild(b *testing.B, name string, y *matrix.Single, rows, later int, mode CorrectionsMode) {
	b.Run(name, func(b *testing.B) {
		c := newCorrections(y.Rows(), rows, Corrections{Mode: mode, Bytes: 8 << 30}, 1)
		defer c.Close()
		cpu := cpuSeconds()
		for b.Loop() {
			if err := c.build(context.Background(), y, later); err != nil {
				b.Fatal(err)
			}
		}
		reportCPU(b, cpu)
	})
}

func benchmarkApply(b *testing.B, name string, y, z, x *matrix.Single, rows int, mode CorrectionsMode) {
	b.Run(name, func(b *testing.B) {
		c := newCorrections(y.Rows(), rows, Corrections{Mode: mode, Bytes: 8 << 30, SpillDir: b.TempDir()}, 1)
		defer c.Close()
		if err := c.build(context.Background(), y, 1); err != nil {
			b.Fatal(err)
		}
		cpu := cpuSeconds()
		for b.Loop() {
			if err := c.apply(context.Background(), z, x); err != nil {
				b.Fatal(err)
			}
		}
		reportCPU(b, cpu)
	})
}
