// This file reads standard input as if it were a file that can be opened once.

package access

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"sync"

	"anchorage/shard/fault"
)

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
