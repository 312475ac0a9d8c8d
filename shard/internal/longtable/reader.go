// Package longtable makes documents of long tables, which have one row per document and item. It checks that the rows
// of a document are adjacent, or sorts them first.
package longtable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/sorter"
)

var errNoDocument = fault.InRow(errors.New("the document's id is empty"))

// Row is a row of a long table. Ids are bytes, or numbers where the bytes are nil.
type Row struct {
	Document, Item             []byte
	DocumentNumber, ItemNumber int64
	Count                      int32       // 0 for an item that is left out
	Place                      fault.Error // where the row is; Path and Err are empty
}

// Source yields the rows of a long table.
type Source interface {
	// Next overwrites row, whose slices are valid until the call after it, and returns io.EOF after the last one. Any
	// other error is about row.place, unless it is an *Error that says where; its Path may be empty. After an error of a
	// single row Next can continue.
	Next(row *Row) error
	Close() error
}

// Reader turns rows into documents.
type Reader struct {
	watch   *access.Watch
	path    string
	source  Source
	builder *bag.Builder

	row     Row
	pending bool // row waits for the next batch
	ended   bool
	open    bool   // a document is open
	key     []byte // of the open document, as Key has it
	next    []byte // of the current row
	done    int64  // documents complete so far
	seen    documentSet
	group   bool // the rows must be sorted first
	runs    bool // a document may come again
	sorter  *sorter.Sorter
	limits  sorter.Options
}

// New returns a reader of the documents of a shard, whose rows come from source. The reader closes the source.
func New(w *access.Watch, in reading.Shard, b *bag.Builder, source Source) *Reader {
	return &Reader{watch: w, path: in.Path, source: source, builder: b,
		group: in.Group, runs: in.Scattered, limits: in.Sort}
}

func (r *Reader) Next(batch *documents.Batch) error {
	err := r.builder.Fill(batch, r.done, r.fill)
	if err == nil || err == io.EOF {
		return err
	}
	return r.Fail(err)
}

// fill reads documents until the batch is complete or the table has ended.
func (r *Reader) fill() {
	fault.Throw(r.watch.Check())
	if r.group {
		r.sort()
		r.group = false
	}
	for rows := 0; !r.ended; rows++ {
		if rows&0xfff == 0xfff {
			fault.Throw(r.watch.Check())
		}
		if !r.pending {
			err := r.source.Next(&r.row)
			if err == io.EOF {
				r.ended = true
				break
			}
			if err != nil {
				r.note(err)
				continue
			}
			r.pending = true
		}
		full, err := r.begin()
		if full {
			return
		}
		r.pending = false
		if err == nil {
			err = r.add()
		}
		if err != nil {
			r.note(err)
		}
	}
	if r.open {
		r.end()
	}
}

// note leaves out the current row, about which err is an error, or throws it.
func (r *Reader) note(err error) { fault.Throw(r.builder.Note(r.Fail(err))) }

// begin makes the document of the row the open one. full says that the batch is complete before it.
func (r *Reader) begin() (full bool, err error) {
	if r.row.Document != nil && len(r.row.Document) == 0 {
		return false, errNoDocument
	}
	r.next = Key(r.next[:0], r.row.Document, r.row.DocumentNumber)
	if r.open {
		if string(r.next) == string(r.key) {
			return false, nil
		}
		if r.end() {
			return true, nil
		}
	}
	if r.sorter == nil && !r.runs && !r.seen.enter(r.next) {
		name := strconv.FormatInt(r.row.DocumentNumber, 10)
		if r.row.Document != nil {
			name = fmt.Sprintf("%.60q", r.row.Document)
		}
		return false, fault.Because(fault.Scattered, "document %s comes again after others: its rows must be adjacent", name)
	}
	r.key = append(r.key[:0], r.next...)
	r.open = true
	if r.builder.Named {
		return false, r.builder.SetName(IDText(r.row.Document, r.row.DocumentNumber))
	}
	return false, nil
}

// end closes the open document and reports whether the batch is complete.
func (r *Reader) end() bool {
	r.open = false
	r.done++
	return r.builder.EndDocument()
}

// add adds the row to the open document.
func (r *Reader) add() error {
	if r.row.Item != nil {
		return r.builder.AddBytes(r.row.Item, r.row.Count)
	}
	return r.builder.AddNumber(r.row.ItemNumber, r.row.Count)
}

// Fail returns err as an error about the current row.
func (r *Reader) Fail(err error) error { return r.watch.At(r.row.Place, r.path, err) }

func (r *Reader) Close() error {
	err := r.source.Close()
	if r.sorter != nil {
		r.sorter.Close()
	}
	return err
}

// documentSet remembers documents by 64-bit hashes of their keys. A document greater than all before it is new for
// certain. Of the others the set remembers the first maxSeen, so a document that comes again is noticed if it is among
// those. The probability that two different documents are taken for one is below 10⁻⁶.
type documentSet struct {
	hashes   map[uint64]struct{}
	greatest []byte
}

// maxSeen bounds the set to about 80 MiB.
const maxSeen = 4 << 20

// documentSeed makes hashes differ between processes, so that no file can be made whose documents collide.
var documentSeed = maphash.MakeSeed()

// enter notes a document and reports whether it is new, as far as can be told.
func (s *documentSet) enter(key []byte) bool {
	rising := string(key) > string(s.greatest)
	if rising {
		s.greatest = append(s.greatest[:0], key...)
	}
	if s.hashes == nil {
		s.hashes = make(map[uint64]struct{})
	}
	hash := maphash.Bytes(documentSeed, key)
	if _, known := s.hashes[hash]; known {
		return rising
	}
	if len(s.hashes) < maxSeen {
		s.hashes[hash] = struct{}{}
	}
	return true
}

// sort reads all rows and replaces the source by a sorted one.
func (r *Reader) sort() {
	s, err := sorter.New(r.limits)
	fault.Throw(err)
	r.sorter = s
	var payload []byte
	for rows := 0; ; rows++ {
		if rows&0xfff == 0 {
			fault.Throw(r.watch.Check())
		}
		err := r.source.Next(&r.row)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.sortable()
		}
		if err != nil {
			r.note(err)
			continue
		}
		r.next = Key(r.next[:0], r.row.Document, r.row.DocumentNumber)
		payload = AppendRow(payload[:0], &r.row)
		fault.Throw(s.Add(r.next, payload))
	}
	fault.Throw(fault.InFile(r.path, r.source.Close()))
	fault.Throw(s.Sort(r.watch.Check))
	r.source = &sortedRows{s}
}

// sortable returns what keeps the row from being sorted.
func (r *Reader) sortable() error {
	if len(r.row.Document) > bag.MaxItemBytes || len(r.row.Item) > bag.MaxItemBytes {
		return fault.InRow(fmt.Errorf("an id has more than %d bytes", bag.MaxItemBytes))
	}
	if r.row.Document != nil && len(r.row.Document) == 0 {
		return errNoDocument
	}
	return nil
}

// sortedRows yields rows that a sorter has put in order.
type sortedRows struct{ sorter *sorter.Sorter }

func (s *sortedRows) Next(row *Row) error {
	key, payload, err := s.sorter.Next()
	if err != nil {
		return err
	}
	return TakeRow(row, key, payload)
}

// Close implements Source. The sorter is closed by its owner.
func (s *sortedRows) Close() error { return nil }

const (
	numberKey = 1
	bytesKey  = 2
)

// Key appends a key that sorts like the ids themselves: numbers by value and before all others, which sort by
// bytes. A text that is a canonical number is that number, so that the order does not depend on the format.
func Key(dst, id []byte, number int64) []byte {
	if id != nil {
		value, ok := bag.CanonicalNumber(id)
		if !ok {
			return append(append(dst, bytesKey), id...)
		}
		number = value
	}
	dst = append(dst, numberKey)
	return binary.BigEndian.AppendUint64(dst, uint64(number)^1<<63)
}

// AppendRow appends what must be kept of a row beside its key.
func AppendRow(dst []byte, row *Row) []byte {
	dst = binary.AppendUvarint(dst, uint64(row.Count))
	dst = binary.AppendUvarint(dst, uint64(row.Place.Row))
	if row.Item == nil {
		return binary.AppendVarint(append(dst, numberKey), row.ItemNumber)
	}
	return append(append(dst, bytesKey), row.Item...)
}

var errSortedRow = errors.New("a file of sorted rows is damaged")

// TakeRow is the inverse of Key and AppendRow. The row's slices alias key and payload.
func TakeRow(row *Row, key, payload []byte) error {
	*row = Row{}
	switch {
	case len(key) == 9 && key[0] == numberKey:
		row.DocumentNumber = int64(binary.BigEndian.Uint64(key[1:]) ^ 1<<63)
	case len(key) > 0 && key[0] == bytesKey:
		row.Document = key[1:]
	default:
		return errSortedRow
	}
	count, n := binary.Uvarint(payload)
	line, m := binary.Uvarint(payload[max(n, 0):])
	if n <= 0 || m <= 0 || n+m >= len(payload) {
		return errSortedRow
	}
	row.Count, row.Place.Row = int32(min(count, documents.MaxCount)), int64(line)
	kind, item := payload[n+m], payload[n+m+1:]
	if kind == bytesKey {
		row.Item = item
		return nil
	}
	number, n := binary.Varint(item)
	if n <= 0 {
		return errSortedRow
	}
	row.ItemNumber = number
	return nil
}

// IDText returns an id as text: the number where there is no text.
func IDText(text []byte, number int64) []byte {
	if text == nil {
		return strconv.AppendInt(nil, number, 10)
	}
	return text
}
