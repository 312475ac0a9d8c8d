// This file reads objects, in ranges of several MiB whatever sizes the caller asks for, and writes them. An object
// appears when it is complete.

package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	// The first range of a reader has firstRange bytes. A range that continues another is growth times as long, up to
	// lastRange. So a look at an object reads little, and reading all of it takes few requests.
	firstRange = 1 << 20
	lastRange  = 8 << 20
	growth     = 4
	// keptRanges is how many ranges a Reader holds. Parquet files need several: their columns are read in turn.
	keptRanges = 4
)

// Reader reads an object. It implements io.ReaderAt and io.Closer, holds at most 32 MiB, and belongs to one goroutine.
type Reader struct {
	ctx    context.Context
	info   Info
	warn   Warn
	ranges []*fetched // the most recently used first
}

// fetched is a range of an object.
type fetched struct {
	start int64
	data  []byte
}

func (f *fetched) end() int64 { return f.start + int64(len(f.data)) }

// Open opens an object for reading. It returns an error if the object has changed since info was taken; an info that
// has only a place accepts any state. The reader keeps ctx and warn.
func Open(ctx context.Context, info Info, warn Warn) (*Reader, error) {
	now, err := Stat(ctx, info.Place, warn)
	if err != nil {
		return nil, err
	}
	if (!info.Modified.IsZero() || info.ETag != "") && !info.like(now.State) {
		return nil, &Error{Path: info.Place.String(), Err: errChanged}
	}
	return &Reader{ctx: ctx, info: now, warn: warn}, nil
}

// like reports whether an object in that state may be the one of info. Some answers have times in full seconds, some
// have no time or no ETag.
func (info Info) like(state State) bool {
	return state.Size == info.Size && (state.ETag == "" || info.ETag == "" || state.ETag == info.ETag) &&
		(state.Modified.IsZero() || info.Modified.IsZero() ||
			state.Modified.Truncate(time.Second).Equal(info.Modified.Truncate(time.Second)))
}

// Size returns the number of bytes.
func (r *Reader) Size() int64 { return r.info.Size }

func (r *Reader) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		if offset >= r.info.Size {
			return n, io.EOF
		}
		f, err := r.holding(offset)
		if err != nil {
			return n, err
		}
		copied := copy(p[n:], f.data[offset-f.start:])
		n += copied
		offset += int64(copied)
	}
	return n, nil
}

// holding returns a range that contains the byte at offset.
func (r *Reader) holding(offset int64) (*fetched, error) {
	length, memory := int64(firstRange), []byte(nil)
	for i, f := range r.ranges {
		if offset >= f.start && offset < f.end() {
			copy(r.ranges[1:i+1], r.ranges[:i])
			r.ranges[0] = f
			return f, nil
		}
	}
	for i, f := range r.ranges {
		// A reader that continues where a range ended, or a little further, no longer needs the range.
		if offset >= f.end() && offset-f.end() < firstRange {
			length = min(lastRange, int64(len(f.data))*growth)
			memory = f.data
			r.ranges = append(r.ranges[:i], r.ranges[i+1:]...)
			break
		}
	}
	if len(r.ranges) == keptRanges {
		if memory == nil {
			memory = r.ranges[keptRanges-1].data
		}
		r.ranges = r.ranges[:keptRanges-1]
	}
	length = min(max(length, firstRange), r.info.Size-offset)
	if int64(cap(memory)) < length {
		memory = make([]byte, length)
	}
	f := &fetched{start: offset, data: memory[:length]}
	if err := r.fetch(f); err != nil {
		return nil, err
	}
	r.ranges = append([]*fetched{f}, r.ranges...)
	return f, nil
}

// fetch reads a range.
func (r *Reader) fetch(f *fetched) error {
	return retry(r.ctx, r.info.Place, r.warn, func(ctx context.Context, bucket *Bucket) error {
		body, state, err := bucket.Range(ctx, r.info.Key, f.start, int64(len(f.data)))
		if err != nil {
			return err
		}
		defer body.Close()
		// The state comes with each answer, so that looking at it costs no request.
		if !r.info.like(state) {
			return errChanged
		}
		_, err = io.ReadFull(body, f.data)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
}

func (r *Reader) Close() error {
	r.ranges = nil
	return nil
}

// OpenStream opens a file or object for reading from its beginning to its end.
func OpenStream(ctx context.Context, path string) (io.ReadCloser, error) {
	if !IsURL(path) {
		return os.Open(path)
	}
	place, err := Parse(path)
	if err != nil {
		return nil, err
	}
	reader, err := Open(ctx, Info{Place: place}, nil)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(reader, 0, reader.Size()), reader}, nil
}

// ReadFile returns the content of a file or object.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	stream, err := OpenStream(ctx, path)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(stream)
}

// Digest returns the SHA-256 of a file or object, in hexadecimal, and its size.
func Digest(ctx context.Context, path string) (sum string, size int64, err error) {
	stream, err := OpenStream(ctx, path)
	if err != nil {
		return "", 0, err
	}
	defer stream.Close()
	hash := sha256.New()
	for err == nil {
		var n int64
		n, err = io.CopyN(hash, stream, 1<<20)
		size += n
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
	}
	if err != io.EOF {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// Exists reports whether there is a file or object.
func Exists(ctx context.Context, path string) (bool, error) {
	var err error
	if !IsURL(path) {
		_, err = os.Stat(path)
	} else if place, malformed := Parse(path); malformed != nil {
		return false, malformed
	} else {
		_, err = Stat(ctx, place, nil)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

const (
	// copyLimit is the size up to which every store copies an object in one request.
	copyLimit = 5 << 30
	// slowest is the rate, in bytes per second, below which an upload is given up and tried again.
	slowest = 128 << 10
)

// Upload writes a file of this machine to place and replaces an object that is there. Cancelled, it leaves nothing new.
func Upload(ctx context.Context, place Place, path string, warn Warn) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	limit := patience + time.Duration(info.Size()/slowest)*time.Second
	return retryFor(ctx, limit, place, warn, func(ctx context.Context, bucket *Bucket) error {
		return bucket.Write(ctx, place.Key, io.NewSectionReader(file, 0, info.Size()), false)
	})
}

// Put writes a small object that must not exist yet; the error wraps fs.ErrExist if it does. An object with the same
// content is taken for this one, since an attempt may succeed although its answer gets lost. So no other program may
// write that content there.
func Put(ctx context.Context, place Place, content []byte, warn Warn) error {
	err := retry(ctx, place, warn, func(ctx context.Context, bucket *Bucket) error {
		return bucket.Write(ctx, place.Key, bytes.NewReader(content), true)
	})
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if same, reading := holds(ctx, place, content, warn); reading == nil && same {
		return nil
	}
	return err
}

// Overwrite writes a small object, in place of one that is there.
func Overwrite(ctx context.Context, place Place, content []byte, warn Warn) error {
	return retry(ctx, place, warn, func(ctx context.Context, bucket *Bucket) error {
		return bucket.Write(ctx, place.Key, bytes.NewReader(content), false)
	})
}

// holds reports whether the object at place has that content.
func holds(ctx context.Context, place Place, content []byte, warn Warn) (same bool, err error) {
	err = retry(ctx, place, warn, func(ctx context.Context, bucket *Bucket) error {
		state, err := bucket.Stat(ctx, place.Key)
		if same = state.Size == int64(len(content)); err != nil || !same || len(content) == 0 {
			return err
		}
		body, _, err := bucket.Range(ctx, place.Key, 0, state.Size)
		if err != nil {
			return err
		}
		defer body.Close()
		there, err := io.ReadAll(body)
		same = bytes.Equal(there, content)
		return err
	})
	return same, err
}

// Move gives an object another key of its bucket. path is the file with the same content: objects above copyLimit are
// uploaded from it again.
func Move(ctx context.Context, from, to Place, path string, warn Warn) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > copyLimit {
		err = Upload(ctx, to, path, warn)
	} else {
		err = retry(ctx, to, warn, func(ctx context.Context, bucket *Bucket) error {
			return bucket.Copy(ctx, to.Key, from.Key)
		})
	}
	if err != nil {
		return err
	}
	return Remove(ctx, from, warn)
}

// Remove removes an object. It returns nil without one.
func Remove(ctx context.Context, place Place, warn Warn) error {
	err := retry(ctx, place, warn, func(ctx context.Context, bucket *Bucket) error {
		return bucket.Delete(ctx, place.Key)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
