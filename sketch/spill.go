// This file keeps blocks of the Krylov basis in files, where memory is short.

package sketch

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"anchorage/internal/aligned"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// SpillError says that a file to which memory is spilled cannot be used.
type SpillError struct {
	Of      string // what is spilled: Krylov basis or corrections
	Path    string // the file; where it could not be made, its folder
	Doing   string // creating, writing, reading or emptying
	Damaged bool   // what was read is not what was written
	Err     error  // why
}

// Error says what was done to which file, and why it failed.
func (e *SpillError) Error() string {
	if e.Damaged {
		return fmt.Sprintf("the spill file of the %s (%s) is damaged: %v", e.Of, e.Path, e.Err)
	}
	return fmt.Sprintf("%s the spill file of the %s (%s): %v", e.Doing, e.Of, e.Path, e.Err)
}

// Unwrap returns Err.
func (e *SpillError) Unwrap() error { return e.Err }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

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
		return nil, &SpillError{Of: "Krylov basis", Path: folder, Doing: "creating", Err: err}
	}
	a := &awayBlock{file: file, row: int64(8 * t.Stride()), sums: make([]uint32, (t.Rows()+checkedRows-1)/checkedRows)}
	err = kernel.EachHeld(ctx, t, workers, func(b int) error {
		values, first, last := t.Block(b)
		for ; first < last && ctx.Err() == nil; first += checkedRows {
			count := min(checkedRows, last-first) * t.Stride()
			raw := aligned.Raw(values[:count])
			a.sums[first/checkedRows] = crc32.Checksum(raw, castagnoli)
			if _, err := file.WriteAt(raw, a.row*int64(first)); err != nil {
				return a.failed("writing", err)
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
	raw, offset := aligned.Raw(values), a.row*int64(first)
	n, err := a.file.ReadAt(raw, offset)
	switch {
	case n == len(raw):
		err = nil
	case errors.Is(err, io.EOF):
		err = a.damaged(fmt.Errorf("it ends after %d bytes", offset+int64(n)))
	default:
		err = a.failed("reading", err)
	}
	for piece := first / checkedRows; len(raw) > 0 && err == nil; piece++ {
		part := raw[:min(checkedRows*int(a.row), len(raw))]
		if crc32.Checksum(part, castagnoli) != a.sums[piece] {
			err = a.damaged(fmt.Errorf("rows from %d on have a wrong checksum", piece*checkedRows))
		}
		raw = raw[len(part):]
	}
	if err != nil {
		a.first.CompareAndSwap(nil, &err)
	}
	return err
}

// Release removes the file.
func (a *awayBlock) Release() { a.file.Close() } // nothing is to be read from it any more

func (a *awayBlock) failed(doing string, err error) error {
	return &SpillError{Of: "Krylov basis", Path: a.file.Name(), Doing: doing, Err: err}
}

func (a *awayBlock) damaged(err error) error {
	return &SpillError{Of: "Krylov basis", Path: a.file.Name(), Doing: "reading", Damaged: true, Err: err}
}

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
