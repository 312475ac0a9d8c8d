// This file keeps blocks of the Krylov basis, and vectors that nobody needs for a while, in files, where memory is
// short.

package sketch

import (
	"context"
	"sync/atomic"

	"anchorage/internal/aligned"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// checkedRows is the number of rows that have one checksum. Reads begin and end where these do.
const checkedRows = 1024

// awayMatrix is a matrix in a file: its rows with their padding, one after the other, as memory has them.
type awayMatrix[T aligned.Real] struct {
	file *durable.Spill
	row  int64    // bytes of a row
	sums []uint32 // of every checkedRows rows

	first atomic.Pointer[error] // that was met
}

// PutAway writes a matrix to a file in a folder, and gives its memory back. BringBack takes it into memory again, and
// removes the file; so does release, which may also be called afterwards. The error is a *durable.SpillError, or that
// of ctx.
func PutAway(ctx context.Context, t *matrix.Single, folder string, workers int) (release func(), err error) {
	a, err := putAway(ctx, t, folder, "vectors", workers)
	if err != nil {
		return nil, err
	}
	return a.Release, nil
}

// putAway writes a matrix to a file in a folder, and gives its memory back. of is for durable.CreateSpill.
func putAway[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], folder, of string,
	workers int) (*awayMatrix[T], error) {
	file, err := durable.CreateSpill(folder, of)
	if err != nil {
		return nil, err
	}
	a := &awayMatrix[T]{file: file, row: int64(aligned.Size[T]() * t.Stride()),
		sums: make([]uint32, (t.Rows()+checkedRows-1)/checkedRows)}
	err = kernel.EachHeld(ctx, t, workers, func(b int) error {
		values, first, last := t.Block(b)
		for ; first < last && ctx.Err() == nil; first += checkedRows {
			count := min(checkedRows, last-first) * t.Stride()
			var err error
			if a.sums[first/checkedRows], err = file.Put(aligned.Raw(values[:count]), a.row*int64(first)); err != nil {
				return err
			}
			values = values[count:]
		}
		return ctx.Err()
	})
	if err != nil {
		a.Release()
		return nil, err
	}
	t.PutAway(a)
	return a, nil
}

// Read sets values to whole rows from first on.
func (a *awayMatrix[T]) Read(values []T, first int) error {
	err := a.file.Get(aligned.Raw(values), a.row*int64(first), checkedRows*int(a.row), a.sums[first/checkedRows:])
	if err != nil {
		a.first.CompareAndSwap(nil, &err)
	}
	return err
}

// Release removes the file.
func (a *awayMatrix[T]) Release() { a.file.Close() } // nothing is to be read from it any more

// awayRows adds rows of x, which is away. They should be asked for in order.
func awayRows(x *matrix.Tall) func() rowAdder {
	return func() rowAdder {
		near, first, item := matrix.NewTall(checkedRows, x.Cols()), -1, make([]int32, 1)
		return func(z []float64, items []int32, weights []float64) {
			for t, i := range items {
				if at := int(i) / checkedRows * checkedRows; at != first {
					first = at
					room, _ := near.Load(nil, 0, checkedRows)                    // which is in memory
					_, _ = x.Load(room, first, min(first+checkedRows, x.Rows())) // the block keeps the error
				}
				item[0] = i - int32(first)
				kernel.CombineRows(z, near, item, weights[t:t+1])
			}
		}
	}
}

// spill puts all blocks but the last away, if there is a folder for them: they are only read from the first row to the
// last.
func (b *basis) spill(ctx context.Context) error { return b.putAway(ctx, b.blocks[:len(b.blocks)-1]) }

// putAway puts blocks away, if there is a folder for them.
func (b *basis) putAway(ctx context.Context, blocks []*matrix.Tall) error {
	if b.opts.SpillDir == "" {
		return nil
	}
	for _, block := range blocks {
		if block.IsAway() {
			continue
		}
		away, err := putAway(ctx, block, b.opts.SpillDir, "basis", b.opts.Workers)
		if err != nil {
			return err
		}
		b.away = append(b.away, away)
	}
	return nil
}

// unread returns the first error of a file that products have met, and that of ctx.
func (b *basis) unread(ctx context.Context) error {
	for _, a := range b.away {
		if err := a.first.Load(); err != nil {
			return *err
		}
	}
	return ctx.Err()
}

// release removes the files.
func (b *basis) release() {
	for _, a := range b.away {
		a.Release()
	}
}
