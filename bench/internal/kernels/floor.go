// This file measures what limits kernels: multiply-adds in registers, and memory.

package kernels

import (
	"context"
	"fmt"

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

// rowTable is a matrix larger than the caches, whose rows are changed in random order.
type rowTable struct {
	rows   *matrix.Tall
	add    []float64
	rounds uint64
}

func newRowTable(bytes int64, columns int) *rowTable {
	width := aligned.Columns[float64](columns)
	rows := max(int(bytes/8)/width, 1)
	return &rowTable{rows: noisy64(rows, width), add: make([]float64, width)}
}

// noisy64 returns a matrix whose memory has all been written to.
func noisy64(rows, columns int) *matrix.Tall {
	t := matrix.NewTall(rows, columns)
	for b := range t.Blocks() {
		values, _, _ := t.Block(b)
		for i := range values {
			values[i] = float64(i & 7)
		}
	}
	return t
}

// change returns the operation that adds a vector to random rows, each of which is perRow work. Every worker has rows of its
// own.
func (t *rowTable) change(workers int, perRow float64) operation {
	const updates = 8192
	n := t.rows.Rows()
	workers = min(workers, n)
	return timed(perRow*updates*float64(workers), func() error {
		t.rounds++
		return kernel.Parallel(context.Background(), workers, workers, func(w int) error {
			first, last := w*n/workers, (w+1)*n/workers
			for i := range uint64(updates) {
				row := first + int(random.At(t.rounds, random.Benchmark, uint64(w), i)%uint64(last-first))
				kernel.Axpy(1, t.add, t.rows.PaddedRow(row))
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
			name := Name{groupMemory, "change rows at random", fmt.Sprintf("%d bytes each", 8*columns), workers}
			if err := m.add(ctx, name, table.change(workers, 2*8*float64(columns)/1e9), nil); err != nil {
				return err
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
