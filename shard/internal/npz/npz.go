// Package npz reads sparse matrices as scipy.sparse.save_npz writes them: a zip archive of NumPy arrays with the
// members format.npy ("csr", or "csc" if the columns are the documents), shape.npy, indptr.npy, indices.npy and
// data.npy. The entries of row d are indices[indptr[d]:indptr[d+1]], numbered from 0, and data at the same places. The
// three long arrays are read side by side, so memory holds a block of each.
package npz

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"anchorage/internal/npy"
	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/text"
)

// Begins says that the first bytes of a file are those of a zip archive.
func Begins(head []byte, _ int64) string {
	if strings.HasPrefix(string(head), "PK\x03\x04") {
		return "begins like a zip archive, as .npz files are"
	}
	return ""
}

const (
	blockValues = 1 << 13 // of an array that are decoded at a time
	mostMembers = 64      // of an archive; save_npz writes 5
)

// reader yields the rows of a matrix.
type reader struct {
	watch   *access.Watch
	path    string
	source  access.Source
	builder *bag.Builder

	started        bool // the header was read
	rows, columns  int64
	entries        int64  // indices that remain
	row            int64  // the next one, from 0
	begin          int64  // of its entries
	ends, at, data *array // indptr, indices and data
}

// Open opens a matrix.
func Open(w *access.Watch, in reading.Shard) (reading.Reader, error) {
	source, err := w.Open(in.Object)
	if err != nil {
		return nil, err
	}
	r := &reader{watch: w, path: in.Path, source: source, builder: in.Builder()}
	if err = r.fail(fault.Guard(func() error { r.start(in); return nil })); err == nil {
		err = text.NameNumbers(w, r.builder, in, 0)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// start opens the members and checks that they fit together.
func (r *reader) start(in reading.Shard) {
	archive, err := zip.NewReader(r.source, in.Size)
	if err != nil {
		throw("the archive cannot be read: %w", err)
	}
	if len(archive.File) > mostMembers {
		throw("the archive has %d members; a matrix of scipy.sparse.save_npz has five", len(archive.File))
	}
	for _, form := range []string{"format", "shape", "indptr", "indices", "data"} {
		if _, err := archive.Open(form + ".npy"); err != nil {
			throw("the archive has no member %s.npy: write the matrix with scipy.sparse.save_npz", form)
		}
	}
	checkForm(archive, in.DocumentColumns)
	shape := openArray(archive, "shape")
	defer shape.close()
	if shape.left != 2 {
		throw("shape has %d numbers, not two", shape.left)
	}
	r.rows, r.columns = shape.whole(), shape.whole()
	if in.DocumentColumns {
		r.rows, r.columns = r.columns, r.rows
	}
	r.ends, r.at, r.data = openArray(archive, "indptr"), openArray(archive, "indices"), openArray(archive, "data")
	r.entries = r.at.left
	switch {
	case r.rows < 0 || r.columns < 0 || r.ends.left-1 != r.rows:
		throw("shape says %d documents and %d items, and indptr has %d numbers", r.rows, r.columns, r.ends.left)
	case r.at.left != r.data.left:
		throw("there are %d indices and %d values", r.at.left, r.data.left)
	case float64(r.rows) > reading.FreeEmpty+reading.EmptyPerLine*float64(r.entries):
		throw("shape promises %d documents, but there are only %d entries", r.rows, r.entries)
	}
	if r.begin = r.ends.whole(); r.begin != 0 {
		throw("indptr begins with %d, not 0", r.begin)
	}
}

// throw throws an error of a matrix.
func throw(format string, args ...any) { fault.Throw(fmt.Errorf(format, args...)) }

// checkForm checks that the rows, or the columns if they are the documents, follow each other.
func checkForm(archive *zip.Reader, columns bool) {
	member, err := archive.Open("format.npy")
	fault.Throw(err)
	defer member.Close()
	if _, _, _, err := npy.ReadHeader(member); err != nil {
		throw("format %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(member, 64))
	fault.Throw(err)
	// Bytes, or characters of four bytes.
	form, want, method := strings.ReplaceAll(string(raw), "\x00", ""), "csr", "tocsr"
	if columns {
		want, method = "csc", "tocsc"
	}
	if form != want {
		throw("the matrix is of the form %q, not %s: convert it with its method %s()", form, want, method)
	}
}

func (r *reader) Next(batch *documents.Batch) error {
	if r.row == r.rows {
		if r.entries > 0 {
			return r.fail(fmt.Errorf("indptr leaves %d entries to no document", r.entries))
		}
		return io.EOF
	}
	r.started = true
	return r.fail(r.builder.Fill(batch, r.row, r.fill))
}

// fill reads documents until the batch is complete or the matrix has ended.
func (r *reader) fill() {
	for full := false; r.row < r.rows && !full; full = r.builder.EndDocument() {
		if r.row%1024 == 0 {
			fault.Throw(r.watch.Check())
		}
		r.document()
		r.row++
	}
}

// document adds the entries of a row.
func (r *reader) document() {
	end := r.ends.whole()
	if end < r.begin || end-r.begin > r.entries {
		throw("indptr goes from %d to %d, with %d entries left", r.begin, end, r.entries)
	}
	r.entries -= end - r.begin
	for ; r.begin < end; r.begin++ {
		if r.begin%blockValues == 0 {
			fault.Throw(r.watch.Check())
		}
		item := r.at.whole()
		count, err := r.data.count(&r.builder.Counter)
		switch {
		case err == nil && count == 0: // an explicit zero, or the rule leaves it out
			continue
		case err == nil && (item < 0 || item >= r.columns):
			throw("an entry is in column %d of %d", item, r.columns)
		case err == nil:
			err = r.builder.AddNumber(item, count)
		}
		if err != nil {
			fault.Throw(r.builder.Note(r.fail(err)))
		}
	}
}

// fail says where err was found, unless it has a place or comes from the context; it returns nil for nil.
func (r *reader) fail(err error) error {
	if err == nil {
		return nil
	}
	var at fault.Error
	if r.started {
		at.Row = r.row + 1
	}
	return r.watch.At(at, r.path, err)
}

func (r *reader) Close() error {
	for _, a := range []*array{r.ends, r.at, r.data} {
		if a != nil {
			a.close()
		}
	}
	return r.source.Close()
}

// array is a member of one dimension, which is read from its beginning to its end.
type array struct {
	name   string
	member io.ReadCloser
	kind   byte // 'i', 'u', 'f' or 'b'
	size   int  // bytes of a number
	left   int64
	buffer []byte
	at     int // in buffer
}

// openArray opens a member.
func openArray(archive *zip.Reader, name string) *array {
	member, err := archive.Open(name + ".npy")
	if err != nil {
		throw("%s: %w", name, err)
	}
	descr, _, shape, err := npy.ReadHeader(member)
	a := &array{name: name, member: member}
	if len(descr) == 3 && (descr[0] == '<' || descr[0] == '|') {
		a.kind = descr[1]
		a.size, _ = strconv.Atoi(descr[2:])
	}
	known := strings.IndexByte("iu", a.kind) >= 0 && (a.size == 1 || a.size == 2 || a.size == 4 || a.size == 8) ||
		a.kind == 'f' && (a.size == 4 || a.size == 8) || a.kind == 'b' && a.size == 1
	switch {
	case err != nil:
		member.Close()
		throw("%s %w", name, err)
	case !known || len(shape) != 1 || shape[0] < 0:
		member.Close()
		throw("%s is an array of %q with %d dimensions: a list of numbers is wanted", name, descr, len(shape))
	}
	a.left = shape[0]
	return a
}

// next returns the bytes of the next number.
func (a *array) next() []byte {
	if a.at == len(a.buffer) {
		if a.left == 0 {
			throw("%s ends too early", a.name)
		}
		n := int(min(a.left, blockValues)) * a.size
		if cap(a.buffer) < n {
			a.buffer = make([]byte, n)
		}
		a.buffer, a.at = a.buffer[:n], 0
		if _, err := io.ReadFull(a.member, a.buffer); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			throw("%s is damaged or cut off: %w", a.name, err)
		}
		a.left -= int64(n / a.size)
	}
	a.at += a.size
	return a.buffer[a.at-a.size : a.at]
}

// whole returns the next number of an array of whole numbers.
func (a *array) whole() int64 {
	b := a.next()
	if n := bag.Unsigned(b); a.kind == 'u' && n <= math.MaxInt64 {
		return int64(n)
	}
	if a.kind != 'i' {
		throw("%s should have whole numbers", a.name)
	}
	return bag.Signed(b)
}

// count returns the next number as a count: 0 for one that is written although it is 0.
func (a *array) count(c *bag.Counter) (int32, error) {
	b := a.next()
	n := bag.Unsigned(b)
	f := math.Float64frombits(n)
	if a.size == 4 {
		f = float64(math.Float32frombits(uint32(n)))
	}
	switch float := a.kind == 'f'; {
	case n == 0, float && f == 0:
		return 0, nil
	case float:
		return c.Float(f)
	case a.kind == 'i':
		return c.Integer(bag.Signed(b))
	}
	return c.Unsigned(n)
}

func (a *array) close() { a.member.Close() }
