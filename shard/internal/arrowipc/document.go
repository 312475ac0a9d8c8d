// This file reads a row of lists as a document. It takes all of a row even if something is wrong with it, so that it
// can be left out.

package arrowipc

import (
	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
)

// document adds the document of the next row. It takes all of the row even if something is wrong with it.
func (r *reader) document() error {
	columns := &r.part.plan.columns
	r.at = columns.items.name
	n, gap, err := r.itemLists.next()
	if err == nil && gap > 0 {
		if err = r.items.skip(gap); err == nil && columns.inner {
			err = r.counts.skip(gap)
		}
	}
	if err != nil {
		return err
	}
	m := n // counts
	if r.countLists != nil {
		r.at = columns.counts.name
		if m, gap, err = r.countLists.next(); err == nil && gap > 0 {
			err = r.counts.skip(gap)
		}
		if err != nil {
			return err
		}
	}
	var bad error
	if m != n {
		r.at, bad = "", bag.ErrTwoLists
	}
	for n > 0 && bad == nil {
		chunk := min(n, chunkValues)
		n, m = n-chunk, m-chunk
		bad = r.add(int(chunk))
	}
	if bad != nil {
		if !fault.IsRow(bad) {
			return bad
		}
		if err := r.skipRow(n, m); err != nil {
			return err
		}
	}
	if r.names != nil {
		at := r.at
		r.at = columns.document.name
		if err := nameDocument(r.builder, r.names); err != nil {
			return err
		}
		r.at = at
	}
	return bad
}

// skipRow passes over n items and m counts.
func (r *reader) skipRow(n, m int64) error {
	if err := r.itemLists.pairs.skip(n); err != nil {
		return err
	}
	if err := r.items.skip(n); err != nil || r.counts == nil {
		return err
	}
	if r.countLists != nil {
		if err := r.countLists.pairs.skip(m); err != nil {
			return err
		}
	}
	return r.counts.skip(m)
}

// add adds the next n items, at most chunkValues, to the open document. It takes all of them even if something is wrong
// with one.
func (r *reader) add(n int) error {
	columns := &r.part.plan.columns
	r.at = columns.items.name
	there, err := r.itemLists.elements(n)
	if err != nil {
		return err
	}
	codes := r.codes[:n]
	bad := r.items.itemCodes(r.builder, codes)
	if bad == nil && !there {
		bad = bag.ErrNullItem
	}
	if bad != nil && !fault.IsRow(bad) {
		return bad
	}
	numbers := r.numbers[:n]
	if r.counts != nil {
		if r.countLists != nil {
			if _, err := r.countLists.elements(n); err != nil {
				return err
			}
		}
		err := r.counts.counts(&r.builder.Counter, numbers)
		if err != nil && (bad == nil || !fault.IsRow(err)) {
			r.at = columns.counts.name
			return err
		}
	}
	if bad != nil {
		return bad
	}
	return r.builder.AddSome(codes, numbers)
}

// nameDocument gives the open document the next id of a column.
func nameDocument(b *bag.Builder, names *leafReader) error {
	text, number, null, err := names.ID()
	if err != nil || null {
		return err
	}
	return b.SetName(longtable.IDText(text, number))
}
