// This file measures what limits kernels: multiply-adds in registers, and memory.

package kernels

import (
	"context"
	"fmt"
	"slices"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// peakOf returns the operation that gives the peak, in GFLOP: every worker only adds products to registers.
func peakOf[T aligned.Real](workers int) operation {
	const rounds, shares = 20_000, 4
	_, each := kernel.MultiplyAdds[T](1, 1, 1)
	return timed(float64(each)*rounds*shares*float64(workers)/1e9, func() error {
		return kernel.Parallel(context.Background(), workers, shares*workers, func(int) error {
			kernel.MultiplyAdds[T](rounds, 1, 1)
			return nil
		})
	})
}

// typeName returns the name of a type.
func typeName[T aligned.Real]() string {
	var value T
	return fmt.Sprintf("%T", value)
}

// rowTable is a matrix larger than the caches, whose rows are changed and added up in random order.
type rowTable struct {
	rows   *matrix.Tall
	single *matrix.Single // the same in single precision; nil until it is asked for
	add    []float64
	rounds uint64
}

func newRowTable(bytes int64, columns int) *rowTable {
	width := aligned.Columns[float64](columns)
	rows := max(int(bytes/8)/width, 1)
	return &rowTable{rows: noisyTable[float64](rows, width), add: make([]float64, width)}
}

// noisyTable returns a matrix whose memory has all been written to.
func noisyTable[T aligned.Real](rows, columns int) *matrix.TallOf[T] {
	t := matrix.New[T](rows, columns)
	for b := range t.Blocks() {
		values, _, _ := t.Block(b)
		for i := range values {
			values[i] = T(i & 7)
		}
	}
	return t
}

// What is done to a random row.
type visit int

const (
	gather       visit = 1 << iota // it is added to a vector
	gatherSingle                   // the same in single precision
	change                         // a vector is added to it
)

const (
	visitedRows = 8192 // that a worker visits in one operation
	gathered    = 32   // rows that are added up at once, as those of a document are
)

// visit returns the operation that visits random rows as what says, each of which is perRow work. Every worker has rows of its own to change.
func (t *rowTable) visit(what visit, workers int, perRow float64) operation {
	n := t.rows.Rows()
	workers = min(workers, n)
	if what&gatherSingle != 0 && t.single == nil {
		t.single = noisyTable[float32](n, t.rows.Cols())
	}
	return timed(perRow*visitedRows*float64(workers), func() error {
		t.rounds++
		return kernel.Parallel(context.Background(), workers, workers, func(w int) error {
			first, last := w*n/workers, (w+1)*n/workers
			own := func(i uint64) int {
				return first + int(random.At(t.rounds, random.Benchmark, uint64(w), i)%uint64(last-first))
			}
			picked, ones := make([]int32, gathered), slices.Repeat([]float64{1}, gathered)
			sum, single := make([]float64, t.rows.Stride()), []float32(nil)
			if t.single != nil {
				single = make([]float32, t.single.Stride())
			}
			for i := range uint64(visitedRows) {
				if what&(gather|gatherSingle) != 0 && i%gathered == 0 {
					for j := range picked {
						picked[j] = int32(own(visitedRows + i + uint64(j)))
					}
					if what&gather != 0 {
						kernel.CombineRows(sum, t.rows, picked, ones)
					} else {
						kernel.CombineSingles(single, t.single, picked, ones)
					}
				}
				if what&change != 0 {
					kernel.Axpy(1, t.add, t.rows.PaddedRow(own(i)))
				}
			}
			return nil
		})
	})
}

// floors measures what the other kernels are compared with.
func (m *measuring) floors(ctx context.Context) error {
	for _, workers := range m.Workers {
		for _, peak := range []struct {
			name string
			op   operation
		}{{typeName[float32](), peakOf[float32](workers)}, {typeName[float64](), peakOf[float64](workers)}} {
			name := Name{groupPeak, "x·y + s", peak.name, workers}
			if err := m.add(ctx, name, peak.op, nil); err != nil {
				return err
			}
		}
	}
	for _, columns := range []int{64, 128} {
		table := newRowTable(m.TableBytes, columns)
		for _, workers := range m.Workers {
			if columns == 64 {
				shape := fmt.Sprintf("%.3g MiB", float64(m.TableBytes)/(1<<20))
				name := Name{groupMemory, "read in order", shape, workers}
				if err := m.add(ctx, name, table.read(workers), nil); err != nil {
					return err
				}
			}
			for _, of := range []struct {
				name  string
				what  visit
				bytes int // of a row
				times int // they are read and written
			}{
				{"change rows at random", change, 8 * columns, 2},
				{"add up rows at random", gather, 8 * columns, 1},
				{"add up rows at random", gatherSingle, 4 * columns, 1},
			} {
				name := Name{groupMemory, of.name, fmt.Sprintf("%d bytes each", of.bytes), workers}
				if of.what == gatherSingle {
					name.Shape += ", float32"
				}
				if err := m.add(ctx, name, table.visit(of.what, workers, float64(of.times*of.bytes)/1e9), nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// read returns the operation that reads everything once, in GB.
func (t *rowTable) read(workers int) operation {
	sums := make([]float64, t.rows.Blocks())
	return timed(8*float64(t.rows.Rows())*float64(t.rows.Stride())/1e9, func() error {
		return kernel.Parallel(context.Background(), workers, len(sums), func(b int) error {
			values, _, _ := t.rows.Block(b)
			sums[b] = kernel.Sum(values)
			return nil
		})
	})
}
