// Package access opens files of this machine and objects of stores, plain or compressed, in the state in which they
// were found, and watches how long decoding them takes.
//
// An Object is a value and may be shared. A Source, a Text and a Watch belong to one goroutine.
package access

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"anchorage/internal/objects"
	"anchorage/shard/fault"
)

// Source is the bytes of a file, for reading at any place. It belongs to one goroutine.
type Source interface {
	io.ReaderAt
	io.Closer
	// Size is the number of bytes.
	Size() int64
}

// errChanged says that a file is not the one that was found.
var errChanged = errors.New("the file has changed since it was found: files must be complete, and must not change " +
	"while they are read")

// errVanished says that a file that was found is no longer there.
var errVanished = errors.New("the file has vanished since it was found: files must stay while they are read")

// Object is a file, or an object of a store, in the state in which it was first seen. Every opening checks that it is
// still in that state.
type Object struct {
	Path      string // as given or found
	Size      int64
	modified  time.Time
	Irregular bool // a directory or device, which cannot be read twice
	// Encoding is that of a text, by its name in the WHATWG's standard; empty for UTF-8. A byte order mark of UTF-16
	// counts for more.
	Encoding string

	Remote *objects.Info // nil for a file of this machine
	warn   objects.Warn
	input  *input // nil unless the object is standard input
}

// LookUp returns the file or object at path.
func LookUp(ctx context.Context, path string, warn objects.Warn) (Object, error) {
	if objects.IsURL(path) {
		place, err := objects.Parse(path)
		if err != nil {
			return Object{}, &fault.Error{Path: path, Err: err}
		}
		info, err := objects.Stat(ctx, place, warn)
		if err != nil {
			return Object{}, StoreError(ctx, path, err)
		}
		return StoreObject(info, warn), nil
	}
	local, err := objects.Local(path)
	if err != nil {
		return Object{}, fault.InFile(path, err)
	}
	info, err := os.Stat(local)
	if err != nil {
		return Object{}, fault.InFile(local, err)
	}
	return FileObject(local, info), nil
}

// FileObject returns the file at path, of which info is known.
func FileObject(path string, info fs.FileInfo) Object {
	return Object{Path: path, Size: info.Size(), modified: info.ModTime(), Irregular: !info.Mode().IsRegular()}
}

// Linked reports whether the path of a file is a link.
func (o Object) Linked() bool {
	if o.Remote != nil {
		return false
	}
	info, err := os.Lstat(o.Path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// StoreObject returns the object that info is about.
func StoreObject(info objects.Info, warn objects.Warn) Object {
	return Object{Path: info.Place.String(), Size: info.Size, modified: info.Modified, Remote: &info, warn: warn}
}

// StoreError returns err as an *Error about path, unless it comes from ctx.
func StoreError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if store, is := errors.AsType[*objects.Error](err); is {
		err = store.Plain()
	}
	return fault.InFile(path, err)
}

// Modified returns when the object was modified last, as of when it was found; the zero time if that is unknown.
func (o Object) Modified() time.Time { return o.modified }

// Name returns the last element of the path.
func (o Object) Name() string {
	if o.Remote != nil {
		return o.Remote.Name()
	}
	return filepath.Base(o.Path)
}

// Beside returns the path of a file of that name in the same directory.
func (o Object) Beside(name string) string {
	if o.Remote != nil {
		return o.Remote.Beside(name).String()
	}
	return filepath.Join(filepath.Dir(o.Path), name)
}

// Open opens the object for reading at any place. It fails if the object is not in the state in which it was found.
func (o Object) Open(ctx context.Context) (Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.input != nil {
		return nil, fault.InFile(o.Path, errPlaces)
	}
	if o.Remote != nil {
		reader, err := objects.Open(ctx, *o.Remote, o.warn)
		if err != nil {
			return nil, StoreError(ctx, o.Path, err)
		}
		return remoteSource{ctx, o.Path, reader}, nil
	}
	file, err := os.Open(o.Path)
	if err != nil {
		return nil, fault.InFile(o.Path, err)
	}
	info, err := file.Stat()
	if err = o.same(info, err); err != nil {
		file.Close()
		return nil, fault.InFile(o.Path, err)
	}
	return &localSource{File: file, size: o.Size}, nil
}

// Unchanged returns an error if the object is no longer in the state in which it was found, or gone.
func (o Object) Unchanged(ctx context.Context) error {
	if o.input != nil {
		return nil
	}
	if o.Remote != nil {
		reader, err := objects.Open(ctx, *o.Remote, o.warn)
		if errors.Is(err, fs.ErrNotExist) {
			return fault.InFile(o.Path, errVanished)
		}
		if err != nil {
			return StoreError(ctx, o.Path, err)
		}
		return reader.Close()
	}
	info, err := os.Stat(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = errVanished
	}
	return fault.InFile(o.Path, o.same(info, err))
}

// same returns err, and without one whether a file of which info is known is in the state in which it was found.
func (o Object) same(info fs.FileInfo, err error) error {
	if err == nil && (info.Size() != o.Size || !info.ModTime().Equal(o.modified)) {
		return errChanged
	}
	return err
}

// localSource is an open file of this machine.
type localSource struct {
	*os.File
	size int64
}

func (s *localSource) Size() int64 { return s.size }

// remoteSource is an open object of a store.
type remoteSource struct {
	ctx  context.Context
	path string
	*objects.Reader
}

func (s remoteSource) ReadAt(p []byte, offset int64) (int, error) {
	n, err := s.Reader.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = StoreError(s.ctx, s.path, err)
	}
	return n, err
}

// ReadFull fills p from an offset. The end of the source within p is io.ErrUnexpectedEOF, never io.EOF, which callers
// would take for the end of the documents.
func ReadFull(source io.ReaderAt, p []byte, offset int64) error {
	n, err := source.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

// Stream opens the object for reading from its beginning to its end. The bytes are those of the file, not decompressed.
func (o Object) Stream(ctx context.Context) (io.ReadCloser, error) {
	if o.input != nil {
		stream, err := o.input.stream()
		return stream, fault.InFile(o.Path, err)
	}
	source, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(source, 0, source.Size()), source}, nil
}

// InputPath is the path that means standard input.
const InputPath = "-"

// previewBytes is how much of an input is looked at before it is read.
const previewBytes = 256 << 10

var (
	errOnce   = errors.New("standard input can be read only once, and this reads it again: save it to a file first")
	errPlaces = errors.New("standard input is read from its beginning to its end, which this format does not allow: " +
		"save it to a file first")
	errUnread = errors.New("standard input was not read to its end")
)

// input is a stream that can be read once. Its methods may be called by several goroutines.
type input struct {
	source io.Reader
	lock   sync.Mutex
	looked bool   // head is read
	head   []byte // the first bytes
	whole  bool   // head is all of it
	taken  bool
	ended  chan struct{} // closed once the stream is at its end, or given up
	sum    hash.Hash
	failed error // why it was given up
}

// InputObject returns standard input, whose bytes come from source, as an object.
func InputObject(source io.Reader) Object {
	return Object{Path: InputPath, input: &input{source: source, ended: make(chan struct{}), sum: sha256.New()}}
}

// IsInput reports whether the object can be read only once.
func (o Object) IsInput() bool { return o.input != nil }

// preview returns the first bytes, and whether they are all.
func (in *input) preview() ([]byte, bool, error) {
	in.lock.Lock()
	defer in.lock.Unlock()
	if !in.looked {
		in.looked = true
		in.head = make([]byte, previewBytes)
		n, err := io.ReadFull(in.source, in.head)
		in.head = in.head[:n]
		in.whole = err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !in.whole {
			in.failed = err
		}
	}
	return in.head, in.whole, in.failed
}

// stream returns the bytes from the beginning. It fails from the second time on.
func (in *input) stream() (io.ReadCloser, error) {
	head, whole, err := in.preview()
	if err != nil {
		return nil, err
	}
	in.lock.Lock()
	defer in.lock.Unlock()
	if in.taken {
		return nil, errOnce
	}
	in.taken = true
	rest := in.source
	if whole {
		rest = bytes.NewReader(nil)
	}
	return &inputStream{in: in, source: io.TeeReader(io.MultiReader(bytes.NewReader(head), rest), in.sum)}, nil
}

// inputStream is the only stream of an input.
type inputStream struct {
	in     *input
	source io.Reader
	ended  bool
}

func (s *inputStream) Read(p []byte) (int, error) {
	n, err := s.source.Read(p)
	if err != nil {
		s.end(err)
	}
	return n, err
}

// end notes that the stream has ended.
func (s *inputStream) end(err error) {
	if s.ended {
		return
	}
	s.ended = true
	s.in.lock.Lock()
	defer s.in.lock.Unlock()
	if err != io.EOF {
		s.in.failed = err
	}
	close(s.in.ended)
}

// Close ends the stream. What follows is not read, except to find out that nothing does.
func (s *inputStream) Close() error {
	if !s.ended {
		if n, err := s.Read(make([]byte, 1)); n > 0 || err == nil {
			s.end(errUnread)
		}
	}
	return nil
}

// InputDigest returns the SHA-256 of an input as a hexadecimal number. It waits until another goroutine has read the
// input.
func (o Object) InputDigest(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-o.input.ended:
	}
	if o.input.failed != nil {
		return "", fault.InFile(o.Path, o.input.failed)
	}
	return hex.EncodeToString(o.input.sum.Sum(nil)), nil
}

// Preview opens a text for a look at its beginning; the text can still be read from there. Of standard input it shows
// what the first bytes hold.
func Preview(ctx context.Context, o Object) (*Text, error) {
	if o.input == nil {
		return OpenText(ctx, o)
	}
	head, whole, err := o.input.preview()
	if err != nil {
		return nil, fault.InFile(o.Path, err)
	}
	return o.text(io.NopCloser(bytes.NewReader(head)), !whole)
}

// Head returns the first n bytes of the file, or all of them if it is shorter.
func (o Object) Head(ctx context.Context, n int) ([]byte, error) {
	if o.input != nil {
		head, _, err := o.input.preview()
		return head[:min(n, len(head))], fault.InFile(o.Path, err)
	}
	file, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, min(int64(n), file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fault.InFile(o.Path, err)
	}
	return head, nil
}
