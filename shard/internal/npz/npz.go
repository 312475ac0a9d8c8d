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
	if err = r.start(in); err == nil {
		err = text.NameNumbers(w, r.builder, in, 0)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// start opens the members and checks that they fit together.
func (r *reader) start(in reading.Shard) error {
	archive, err := zip.NewReader(r.source, in.Size)
	if err != nil {
		return r.fail(fmt.Errorf("the archive cannot be read: %w", err))
	}
	if len(archive.File) > mostMembers {
		return r.fail(fmt.Errorf("the archive has %d members; a matrix of scipy.sparse.save_npz has five", len(archive.File)))
	}
	for _, form := range []string{"format", "shape", "indptr", "indices", "data"} {
		if _, err := archive.Open(form + ".npy"); err != nil {
			return r.fail(fmt.Errorf("the archive has no member %s.npy: write the matrix with scipy.sparse.save_npz", form))
		}
	}
	if err := r.checkForm(archive, in.DocumentColumns); err != nil {
		return r.fail(err)
	}
	shape, err := openArray(archive, "shape")
	if err != nil {
		return r.fail(err)
	}
	defer shape.close()
	if shape.left != 2 {
		return r.fail(fmt.Errorf("shape has %d numbers, not two", shape.left))
	}
	sizes := [2]int64{}
	for i := range sizes {
		if sizes[i], err = shape.whole(); err != nil {
			return r.fail(err)
		}
	}
	if in.DocumentColumns {
		sizes[0], sizes[1] = sizes[1], sizes[0]
	}
	r.rows, r.columns = sizes[0], sizes[1]
	for _, open := range []struct {
		to   **array
		name string
	}{{&r.ends, "indptr"}, {&r.at, "indices"}, {&r.data, "data"}} {
		if *open.to, err = openArray(archive, open.name); err != nil {
			return r.fail(err)
		}
	}
	r.entries = r.at.left
	switch {
	case r.rows < 0 || r.columns < 0 || r.ends.left-1 != r.rows:
		return r.fail(fmt.Errorf("shape says %d documents and %d items, and indptr has %d numbers", r.rows, r.columns,
			r.ends.left))
	case r.at.left != r.data.left:
		return r.fail(fmt.Errorf("there are %d indices and %d values", r.at.left, r.data.left))
	case float64(r.rows) > reading.FreeEmpty+reading.EmptyPerLine*float64(r.entries):
		return r.fail(fmt.Errorf("shape promises %d documents, but there are only %d entries", r.rows, r.entries))
	}
	if r.begin, err = r.ends.whole(); err == nil && r.begin != 0 {
		err = fmt.Errorf("indptr begins with %d, not 0", r.begin)
	}
	return r.fail(err)
}

// checkForm checks that the rows, or the columns if they are the documents, follow each other.
func (r *reader) checkForm(archive *zip.Reader, columns bool) error {
	member, err := archive.Open("format.npy")
	if err != nil {
		return err
	}
	defer member.Close()
	if _, _, _, err := npy.ReadHeader(member); err != nil {
		return fmt.Errorf("format %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(member, 64))
	if err != nil {
		return err
	}
	// Bytes, or characters of four bytes.
	form, want, method := strings.ReplaceAll(string(raw), "\x00", ""), "csr", "tocsr"
	if columns {
		want, method = "csc", "tocsc"
	}
	if form != want {
		return fmt.Errorf("the matrix is of the form %q, not %s: convert it with its method %s()", form, want, method)
	}
	return nil
}

// Next implements reading.Reader.
func (r *reader) Next(batch *documents.Batch) error {
	if r.row == r.rows {
		if r.entries > 0 {
			return r.fail(fmt.Errorf("indptr leaves %d entries to no document", r.entries))
		}
		return io.EOF
	}
	r.started = true
	r.builder.Begin(batch, r.row)
	defer r.builder.Finish()
	for r.row < r.rows {
		if r.row%1024 == 0 {
			if err := r.watch.Check(); err != nil {
				return err
			}
		}
		if err := r.document(); err != nil {
			return err
		}
		r.row++
		if r.builder.EndDocument() {
			break
		}
	}
	return nil
}

// document adds the entries of a row.
func (r *reader) document() error {
	end, err := r.ends.whole()
	if err != nil {
		return r.fail(err)
	}
	if end < r.begin || end-r.begin > r.entries {
		return r.fail(fmt.Errorf("indptr goes from %d to %d, with %d entries left", r.begin, end, r.entries))
	}
	r.entries -= end - r.begin
	for ; r.begin < end; r.begin++ {
		if r.begin%blockValues == 0 {
			if err := r.watch.Check(); err != nil {
				return err
			}
		}
		item, err := r.at.whole()
		if err != nil {
			return r.fail(err)
		}
		count, err := r.data.count(&r.builder.Counter)
		switch {
		case err == nil && count == 0: // an explicit zero, or the rule leaves it out
			continue
		case err == nil && (item < 0 || item >= r.columns):
			return r.fail(fmt.Errorf("an entry is in column %d of %d", item, r.columns))
		}
		if err == nil {
			err = r.builder.AddNumber(item, count)
		}
		if err != nil {
			if err := r.builder.Note(r.fail(err)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fail says where err was found; it returns nil for nil.
func (r *reader) fail(err error) error {
	if err == nil {
		return nil
	}
	at := &fault.Error{Path: r.path, Err: err}
	if r.started {
		at.Row = r.row + 1
	}
	return at
}

// Close implements reading.Reader.
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
func openArray(archive *zip.Reader, name string) (*array, error) {
	member, err := archive.Open(name + ".npy")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	descr, _, shape, err := npy.ReadHeader(member)
	if err != nil {
		member.Close()
		return nil, fmt.Errorf("%s %w", name, err)
	}
	a := &array{name: name, member: member}
	if len(descr) == 3 && (descr[0] == '<' || descr[0] == '|') {
		a.kind = descr[1]
		a.size, _ = strconv.Atoi(descr[2:])
	}
	known := strings.IndexByte("iu", a.kind) >= 0 && (a.size == 1 || a.size == 2 || a.size == 4 || a.size == 8) ||
		a.kind == 'f' && (a.size == 4 || a.size == 8) || a.kind == 'b' && a.size == 1
	if !known || len(shape) != 1 || shape[0] < 0 {
		member.Close()
		return nil, fmt.Errorf("%s is an array of %q with %d dimensions: a list of numbers is wanted", name, descr,
			len(shape))
	}
	a.left = shape[0]
	return a, nil
}

// next returns the bytes of the next number.
func (a *array) next() ([]byte, error) {
	if a.at == len(a.buffer) {
		if a.left == 0 {
			return nil, fmt.Errorf("%s ends too early", a.name)
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
			return nil, fmt.Errorf("%s is damaged or cut off: %w", a.name, err)
		}
		a.left -= int64(n / a.size)
	}
	a.at += a.size
	return a.buffer[a.at-a.size : a.at], nil
}

// whole returns the next number of an array of whole numbers.
func (a *array) whole() (int64, error) {
	b, err := a.next()
	if err != nil {
		return 0, err
	}
	switch {
	case a.kind == 'i':
		return bag.Signed(b), nil
	case a.kind == 'u':
		if n := bag.Unsigned(b); n <= math.MaxInt64 {
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("%s should have whole numbers", a.name)
}

// count returns the next number as a count: 0 for one that is written although it is 0.
func (a *array) count(c *bag.Counter) (int32, error) {
	b, err := a.next()
	if err != nil {
		return 0, err
	}
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
