// This file leaves out documents that cannot be read.

package bag

import (
	"errors"
	"fmt"
	"math"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
)

// Leave counts a bad row, about which err is an error, and empties the open document. It returns an error if err is not
// about a single row, or if more rows than MaxBad would be left out.
func (b *Builder) Leave(err error) error {
	if err := b.Note(err); err != nil {
		return err
	}
	for _, code := range b.items[b.start:] {
		b.last[code] = -1
	}
	b.items, b.counts, b.name, b.text = b.items[:b.start], b.counts[:b.start], b.name[:0], b.text[:0]
	b.loose = true
	return nil
}

// Note is Leave for a row that is no document: the open document remains as it is.
func (b *Builder) Note(err error) error {
	if !fault.IsRow(err) || b.MaxBad == 0 {
		return err
	}
	if b.MaxBad == math.MaxInt64 && fault.ReasonOf(err) == fault.Encoding {
		return err // of the names of items, see Shard.ItemNames: they must not vanish for want of an encoding
	}
	if b.bad == b.MaxBad {
		return tooManyBad(err, b.bad)
	}
	b.bad++
	b.Left.Bad++
	if b.Left.First == "" {
		b.Left.First = err.Error()
	}
	b.loose = true // an id of the row may be in the dictionary already
	return nil
}

// tooManyBad adds to an error that as many rows as may be have been left out.
func tooManyBad(err error, bad int64) error {
	add := func(err error) error {
		return fault.Because(fault.BadRows, "%w; %d bad rows before it were left out, and no more may be", err, bad)
	}
	var place *fault.Error
	if !errors.As(err, &place) {
		return add(err)
	}
	placed := *place
	placed.Err = add(fmt.Errorf("%w", place.Err))
	return &placed
}

// compact removes ids that no document of the batch uses, so that the others have codes in order of first appearance.
func (b *Builder) compact() {
	codes := make([]int32, b.batch.Dictionary.Len()) // new code + 1
	var used documents.Dictionary
	for i, code := range b.items {
		if codes[code] == 0 {
			used.Append(b.batch.Dictionary.ID(int(code)))
			codes[code] = int32(used.Len())
		}
		b.items[i] = codes[code] - 1
	}
	b.batch.Dictionary = used
}
