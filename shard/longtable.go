// This file reads long tables: one row per document and item, perhaps with a quantity. The rows come from a rowSource;
// here they become documents. Rows of a document must be adjacent unless they are to be grouped.

package shard

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
)

// longRow is a row of a long table. Ids are bytes, or numbers where the bytes are nil.
type longRow struct {
	document, item             []byte
	documentNumber, itemNumber int64
	count                      int64
	place                      Error // where the row stands; Path and Err are empty
}

// rowSource yields the rows of a long table.
type rowSource interface {
	// next overwrites row, whose slices are valid until the call after it, and returns io.EOF after the last one. Any
	// other error is about row.place, unless it is an *Error that says where; its Path may be empty.
	next(row *longRow) error
	close() error
}

// longReader turns rows into documents.
type longReader struct {
	watch   *watch
	path    string
	source  rowSource
	builder *builder

	row     longRow
	pending bool // row waits for the next batch
	ended   bool
	open    bool   // a document is open
	key     []byte // of the open document, as orderedKey has it
	next    []byte // of the row at hand
	done    int64  // documents complete so far
	seen    documentSet
	group   bool // the rows are to be sorted first
	sorter  *sorter
	limits  sortOptions
}

func newLongReader(w *watch, in input, source rowSource) *longReader {
	return &longReader{watch: w, path: in.path, source: source, builder: newBuilder(in.BatchEntries, in.Names),
		group: in.Group, limits: in.Sort}
}

// Next implements Reader.
func (r *longReader) Next(batch *Batch) error {
	if err := r.watch.check(); err != nil {
		return err
	}
	if r.group {
		if err := guard(r.sort); err != nil {
			return r.fail(err)
		}
		r.group = false
	}
	r.builder.begin(batch, r.done)
	defer r.builder.finish()
	if err := guard(r.fill); err != nil {
		return r.fail(err)
	}
	if r.builder.documents() == 0 {
		return io.EOF
	}
	return nil
}

// fill reads documents until the batch is complete or the table has ended.
func (r *longReader) fill() error {
	for rows := 0; !r.ended; rows++ {
		if rows&0xfff == 0xfff {
			if err := r.watch.check(); err != nil {
				return err
			}
		}
		if !r.pending {
			if err := r.source.next(&r.row); err == io.EOF {
				r.ended = true
				break
			} else if err != nil {
				return err
			}
			r.pending = true
		}
		full, err := r.begin()
		if err != nil || full {
			return err
		}
		r.pending = false
		if err := r.add(); err != nil {
			return err
		}
	}
	if r.open {
		r.end()
	}
	return nil
}

// begin makes the document of the row the open one. full says that the batch is complete before it.
func (r *longReader) begin() (full bool, err error) {
	r.next = orderedKey(r.next[:0], r.row.document, r.row.documentNumber)
	if r.open {
		if string(r.next) == string(r.key) {
			return false, nil
		}
		if r.end() {
			return true, nil
		}
	}
	if r.row.document != nil && len(r.row.document) == 0 {
		return false, errors.New("the document's id is empty")
	}
	if r.sorter == nil && !r.seen.enter(r.next) {
		return false, fmt.Errorf("document %s comes again after others: its rows must be adjacent; give --group to "+
			"collect them, or sort the file by document", r.documentName())
	}
	r.key = append(r.key[:0], r.next...)
	r.open = true
	if r.builder.named {
		return false, r.builder.setName(idText(r.row.document, r.row.documentNumber))
	}
	return false, nil
}

// end closes the open document and reports whether the batch is complete.
func (r *longReader) end() bool {
	r.open = false
	r.done++
	return r.builder.endDocument()
}

// add adds the row to the open document.
func (r *longReader) add() error {
	if err := checkCount(r.row.count); err != nil {
		return err
	}
	var code int32
	var err error
	if r.row.item != nil {
		code, err = r.builder.codeOfBytes(r.row.item)
	} else {
		code, err = r.builder.codeOfNumber(r.row.itemNumber)
	}
	if err != nil {
		return err
	}
	return r.builder.add(code, int32(r.row.count))
}

func (r *longReader) documentName() string {
	if r.row.document == nil {
		return strconv.FormatInt(r.row.documentNumber, 10)
	}
	return fmt.Sprintf("%.60q", r.row.document)
}

// fail returns err as an error about the row at hand.
func (r *longReader) fail(err error) error {
	var place *Error
	switch {
	case r.watch.ended(err):
		return err
	case errors.As(err, &place):
		if place.Path == "" {
			place.Path = r.path
		}
		return err
	}
	e := r.row.place
	e.Path, e.Err = r.path, err
	return &e
}

// sort reads all rows and puts a sorted source in the place of the first one.
func (r *longReader) sort() error {
	s, err := newSorter(r.limits)
	if err != nil {
		return err
	}
	r.sorter = s
	var payload []byte
	for rows := 0; ; rows++ {
		if rows&0xfff == 0 {
			if err := r.watch.check(); err != nil {
				return err
			}
		}
		if err := r.source.next(&r.row); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if err := checkCount(r.row.count); err != nil {
			return err
		}
		if len(r.row.document) > maxItemBytes || len(r.row.item) > maxItemBytes {
			return fmt.Errorf("an id has more than %d bytes", maxItemBytes)
		}
		if r.row.document != nil && len(r.row.document) == 0 {
			return errors.New("the document's id is empty")
		}
		r.next = orderedKey(r.next[:0], r.row.document, r.row.documentNumber)
		payload = appendRow(payload[:0], &r.row)
		if err := s.add(r.next, payload); err != nil {
			return err
		}
	}
	if err := r.source.close(); err != nil {
		return fileError(r.path, err)
	}
	if err := s.sort(r.watch.check); err != nil {
		return err
	}
	r.source = &sortedRows{s}
	return nil
}

// Close implements Reader.
func (r *longReader) Close() error {
	err := r.source.close()
	if r.sorter != nil {
		r.sorter.close()
	}
	return err
}

// sortedRows yields rows that a sorter has put in order.
type sortedRows struct{ sorter *sorter }

func (s *sortedRows) next(row *longRow) error {
	key, payload, err := s.sorter.next()
	if err != nil {
		return err
	}
	return takeRow(row, key, payload)
}

func (s *sortedRows) close() error { return nil } // the sorter is closed by its owner

// documentSet knows documents that have been seen, by 64-bit hashes of their keys. Documents that come in rising order
// are told to be new without it, exactly; of others it remembers the first maxSeen, so that a document that comes
// again is found out if it was among those. Two different documents are taken for one with a probability below 10⁻⁶.
type documentSet struct {
	hashes   []uint64 // open addressing, at most half full; 0 is a free place
	used     int
	greatest []byte
}

// maxSeen bounds the set to 64 MiB.
const maxSeen = 4 << 20

// documentSeed makes hashes differ between processes, so that nobody can make files whose documents collide.
var documentSeed = maphash.MakeSeed()

// enter notes a document and reports whether it is new, as far as can be told.
func (s *documentSet) enter(key []byte) bool {
	rising := string(key) > string(s.greatest)
	if rising {
		s.greatest = append(s.greatest[:0], key...)
	}
	hash := max(maphash.Bytes(documentSeed, key), 1)
	if s.hashes == nil {
		s.hashes = make([]uint64, 1<<10)
	}
	at := s.find(hash)
	if s.hashes[at] == hash {
		return rising
	}
	if s.used == maxSeen {
		return true
	}
	s.hashes[at] = hash
	if s.used++; 2*s.used > len(s.hashes) {
		old := s.hashes
		s.hashes = make([]uint64, 2*len(old))
		for _, hash := range old {
			if hash != 0 {
				s.hashes[s.find(hash)] = hash
			}
		}
	}
	return true
}

// find returns the place of a hash, or the free one for it.
func (s *documentSet) find(hash uint64) int {
	mask := len(s.hashes) - 1
	at := int(hash>>32) & mask
	for s.hashes[at] != 0 && s.hashes[at] != hash {
		at = (at + 1) & mask
	}
	return at
}
