// This file keeps blocks of the Krylov basis in files, where memory is short.

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

// awayBlock is a block of the basis in a file: its rows with their padding, one after the other, as memory has them.
type awayBlock struct {
	file *durable.Spill
	row  int64    // bytes of a row
	sums []uint32 // of every checkedRows rows

	first atomic.Pointer[error] // that was met
}

// putAway writes a block to a file in a folder, and gives its memory back.
func putAway(ctx context.Context, t *matrix.Tall, folder string, workers int) (*awayBlock, error) {
	file, err := durable.CreateSpill(folder, "basis")
	if err != nil {
		return nil, err
	}
	a := &awayBlock{file: file, row: int64(8 * t.Stride()), sums: make([]uint32, (t.Rows()+checkedRows-1)/checkedRows)}
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
func (a *awayBlock) Read(values []float64, first int) error {
	err := a.file.Get(aligned.Raw(values), a.row*int64(first), checkedRows*int(a.row), a.sums[first/checkedRows:])
	if err != nil {
		a.first.CompareAndSwap(nil, &err)
	}
	return err
}

// Release removes the file.
func (a *awayBlock) Release() { a.file.Close() } // nothing is to be read from it any more

// spill puts all blocks but the last away, if there is a folder for them: they are only read from the first row to the
// last.
func (b *basis) spill(ctx context.Context) error {
	if b.opts.SpillDir == "" {
		return nil
	}
	for _, block := range b.blocks[:len(b.blocks)-1] {
		if block.IsAway() {
			continue
		}
		away, err := putAway(ctx, block, b.opts.SpillDir, b.opts.Workers)
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
