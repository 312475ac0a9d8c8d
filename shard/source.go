// This file is the one place where shards, and the files beside them, are opened.

package shard

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"anchorage/internal/objects"
)

// source is the bytes of a file, for reading at any place. It belongs to one goroutine.
type source interface {
	io.ReaderAt
	io.Closer
	// Size is the number of bytes.
	Size() int64
}

// errChanged says that a file is not the one that was found.
var errChanged = errors.New("the file has changed since it was first looked at: let it be complete before it is read, and leave it alone")

// object is a file, or an object of a store, in the state in which it was first seen. Every opening checks that it is
// still in that state.
type object struct {
	path      string // as given or found
	size      int64
	modified  time.Time
	irregular bool // a directory or device, which cannot be read twice

	remote *objects.Info // nil for a file of this machine
	warn   objects.Warn
}

// lookUp returns the file or object at path.
func lookUp(ctx context.Context, path string, warn objects.Warn) (object, error) {
	if objects.IsURL(path) {
		place, err := objects.Parse(path)
		if err != nil {
			return object{}, &Error{Path: path, Err: err}
		}
		info, err := objects.Stat(ctx, place, warn)
		if err != nil {
			return object{}, storeError(ctx, path, err)
		}
		return remoteObject(info, warn), nil
	}
	path, err := objects.Local(path)
	if err != nil {
		return object{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return object{}, fileError(path, err)
	}
	return objectOf(path, info), nil
}

// objectOf returns the file at path, of which info is known.
func objectOf(path string, info fs.FileInfo) object {
	return object{path: path, size: info.Size(), modified: info.ModTime(), irregular: !info.Mode().IsRegular()}
}

// remoteObject returns the object that info is about.
func remoteObject(info objects.Info, warn objects.Warn) object {
	return object{path: info.Place.String(), size: info.Size, modified: info.Modified, remote: &info, warn: warn}
}

// storeError returns err as an *Error about path, unless it comes from ctx.
func storeError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var store *objects.Error
	if errors.As(err, &store) {
		err = store.Plain()
	}
	return fileError(path, err)
}

// name returns the last element of the path.
func (o object) name() string {
	if o.remote != nil {
		return o.remote.Name()
	}
	return filepath.Base(o.path)
}

// beside returns the path of a file of that name in the same directory.
func (o object) beside(name string) string {
	if o.remote != nil {
		return o.remote.Beside(name).String()
	}
	return filepath.Join(filepath.Dir(o.path), name)
}

func (o object) open(ctx context.Context) (source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.remote != nil {
		reader, err := objects.Open(ctx, *o.remote, o.warn)
		if err != nil {
			return nil, storeError(ctx, o.path, err)
		}
		return remoteSource{ctx, o.path, reader}, nil
	}
	file, err := os.Open(o.path)
	if err != nil {
		return nil, fileError(o.path, err)
	}
	info, err := file.Stat()
	if err == nil && (info.Size() != o.size || !info.ModTime().Equal(o.modified)) {
		err = errChanged
	}
	if err != nil {
		file.Close()
		return nil, fileError(o.path, err)
	}
	return &localSource{File: file, size: o.size}, nil
}

// localSource is an open file of this machine.
type localSource struct {
	*os.File
	size int64
}

// Size implements source.
func (s *localSource) Size() int64 { return s.size }

// remoteSource is an open object of a store.
type remoteSource struct {
	ctx  context.Context
	path string
	*objects.Reader
}

// ReadAt implements io.ReaderAt.
func (s remoteSource) ReadAt(p []byte, offset int64) (int, error) {
	n, err := s.Reader.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = storeError(s.ctx, s.path, err)
	}
	return n, err
}

// stream opens the object for reading from its beginning to its end. The bytes are those of the file, not decompressed.
func (o object) stream(ctx context.Context) (io.ReadCloser, error) {
	source, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	return streamOf(source), nil
}

// streamOf returns a source as a stream.
func streamOf(s source) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(s, 0, s.Size()), s}
}
