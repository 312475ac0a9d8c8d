// Package objects reads and writes objects of stores: s3://BUCKET/KEY, gs://BUCKET/KEY and azblob://CONTAINER/KEY.
//
// A URL may end in a query, such as ?endpoint=http://localhost:9000&use_path_style=true, which says how to reach the
// store. Everything found from the URL keeps the query. Keys are used as written, without percent encoding. Credentials
// come from the environment. S3 and stores that speak its protocol need nothing else; drivers of the other stores
// register themselves (module anchorage/cmd/clouds).
//
// A request that fails for a reason that may pass is repeated a few times, after growing pauses. The caller's Warn is
// told each time. A Reader belongs to one goroutine; everything else may be used by several.
package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// firstPause is how long the first pause is; each is twice the one before.
	firstPause = 250 * time.Millisecond
	// patience is how long one attempt may take.
	patience = 2 * time.Minute
)

// attempts is how often a request is tried. Tests change it, and pauseUnit.
var (
	attempts  = 6
	pauseUnit = firstPause
)

// Warn is told of a failure before the same request is tried again after the pause. path is the URL, attempt counts
// from
// 1. Several goroutines may call it at once. A nil Warn means silence.
type Warn func(path string, attempt int, pause time.Duration, err error)

// Info describes the state of an object when it was seen.
type Info struct {
	Place
	State
}

// buckets stay open: opening one looks for credentials, and an open one keeps its connections.
var buckets = struct {
	sync.Mutex
	open map[string]*Bucket
}{open: make(map[string]*Bucket)}

// bucket returns the bucket of a place.
func (p Place) bucket(ctx context.Context) (*Bucket, error) {
	address := p.Bucket
	if p.Query != "" {
		address += "?" + p.Query
	}
	buckets.Lock()
	defer buckets.Unlock()
	if b := buckets.open[address]; b != nil {
		return b, nil
	}
	scheme, name, _ := strings.Cut(p.Bucket, "://")
	drivers.Lock()
	open := drivers.open[scheme]
	drivers.Unlock()
	if open == nil {
		return nil, &Error{Path: p.String(), Err: &DriverError{Scheme: scheme}}
	}
	b, err := open(context.WithoutCancel(ctx), name, p.Query)
	if err != nil {
		return nil, &Error{Path: address, Err: err}
	}
	buckets.open[address] = b
	return b, nil
}

// Error is a request that the store refused, or that failed at the last attempt.
type Error struct {
	Path string
	Err  error
}

// Error names the object and what the store said, on one line.
func (e *Error) Error() string { return e.Path + ": " + e.reason() }

// Plain returns the error without the name of the object, on one line.
func (e *Error) Plain() error { return &plainError{e} }

// plainError is an Error whose text is only the reason.
type plainError struct{ whole *Error }

func (p *plainError) Error() string { return p.whole.reason() }
func (p *plainError) Unwrap() error { return p.whole.Err }

// reason is the store's text in one line.
func (e *Error) reason() string { return strings.Join(strings.Fields(e.Err.Error()), " ") }

func (e *Error) Unwrap() error { return e.Err }

// request is one attempt at what a bucket is asked for.
type request func(ctx context.Context, bucket *Bucket) error

// retry makes a request of the bucket of a place until it succeeds, fails for a lasting reason, or has failed attempts
// times. Each attempt gets at most patience.
func retry(ctx context.Context, place Place, warn Warn, do request) error {
	return retryFor(ctx, patience, place, warn, do)
}

// retryFor is retry with another limit for each attempt.
func retryFor(ctx context.Context, limit time.Duration, place Place, warn Warn, do request) error {
	bucket, err := place.bucket(ctx)
	if err != nil {
		return err
	}
	pause := pauseUnit
	for attempt := 1; ; attempt++ {
		limited, cancel := context.WithTimeout(ctx, limit)
		err := do(limited, bucket)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !passing(err):
			return &Error{Path: place.String(), Err: err}
		case attempt == attempts:
			return &Error{Path: place.String(), Err: fmt.Errorf("%w (tried %d times)", err, attempts)}
		}
		if warn != nil {
			warn(place.String(), attempt, pause, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause *= 2
	}
}

// errChanged means that an object was overwritten.
var errChanged = errors.New("the object has changed since it was first looked at: objects must be complete before a " +
	"run and must not change during it")

// passing reports whether the same request may succeed a little later.
func passing(err error) bool {
	if refusal, is := errors.AsType[*Refusal](err); is {
		return !refusal.Lasting
	}
	return !errors.Is(err, errChanged)
}

// Stat returns an object. The error wraps fs.ErrNotExist without one.
func Stat(ctx context.Context, place Place, warn Warn) (Info, error) {
	info := Info{Place: place}
	err := retry(ctx, place, warn, func(ctx context.Context, bucket *Bucket) (err error) {
		info.State, err = bucket.Stat(ctx, place.Key)
		return err
	})
	return info, err
}

// List calls fn for every object whose key begins with the key of prefix, in the order of the keys. ETags are empty:
// most stores give them only for single objects.
func List(ctx context.Context, prefix Place, warn Warn, fn func(Info) error) error {
	for token, first := "", true; first || token != ""; first = false {
		var page []Entry
		var next string
		err := retry(ctx, prefix, warn, func(ctx context.Context, bucket *Bucket) (err error) {
			page, next, err = bucket.Page(ctx, prefix.Key, token)
			return err
		})
		if err != nil {
			return err
		}
		for _, object := range page {
			if strings.HasSuffix(object.Key, "/") {
				continue // some programs mark folders with empty objects
			}
			object.ETag = ""
			if err := fn(Info{prefix.At(object.Key), object.State}); err != nil {
				return err
			}
		}
		token = next
	}
	return nil
}

// Size returns the size of a file, of all files in a folder, or of the object at a URL and those below it, in bytes.
func Size(ctx context.Context, path string) (size int64, err error) {
	if !IsURL(path) {
		err = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		})
		return size, err
	}
	place, err := Parse(path)
	if err != nil {
		return 0, err
	}
	err = List(ctx, place, nil, func(info Info) error {
		if info.Key == place.Key || strings.HasPrefix(info.Key, place.Below("").Key) {
			size += info.Size
		}
		return nil
	})
	return size, err
}

// Schemes are the kinds of URLs of objects. This package serves s3; programs register drivers of the others.
var Schemes = []string{"s3", "gs", "azblob"}

// State is what a store says of an object.
type State struct {
	Size     int64
	Modified time.Time // zero if the store does not say
	ETag     string    // empty if the store does not say
}

// Bucket is a bucket of a store. Its functions make one request each, as a rule, and repeat none that failed. Several
// goroutines may call them. An error that the caller must understand is a *Refusal.
type Bucket struct {
	// Stat returns the state of an object.
	Stat func(ctx context.Context, key string) (State, error)
	// Range returns a reader of length bytes from start, and the state of the object that they are from.
	Range func(ctx context.Context, key string, start, length int64) (io.ReadCloser, State, error)
	// Page returns some objects whose keys begin with prefix, in the order of the keys, and the token of the page after
	// them; "" without one. The token of the first page is "".
	Page func(ctx context.Context, prefix, token string) (page []Entry, next string, err error)
	// Write writes an object, which appears when it is complete. If fresh, there must be none before.
	Write func(ctx context.Context, key string, content Content, fresh bool) error
	// Copy gives a copy of an object of up to 5 GiB another key.
	Copy func(ctx context.Context, to, from string) error
	// Delete removes an object. It may return nil without one.
	Delete func(ctx context.Context, key string) error
}

// Entry is an object of a listing.
type Entry struct {
	Key string
	State
}

// Content is what an object will hold: io.SectionReader and bytes.Reader implement it.
type Content interface {
	io.ReadSeeker
	io.ReaderAt
	Size() int64
}

// Refusal is an error of a store, with what it means for the caller.
type Refusal struct {
	Err     error
	Means   error // fs.ErrNotExist, fs.ErrPermission or fs.ErrExist; nil for anything else
	Lasting bool  // the same request would fail again
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the error of the store and, if there is one, the error of package fs that means the same.
func (r *Refusal) Unwrap() []error {
	if r.Means == nil {
		return []error{r.Err}
	}
	return []error{r.Err, r.Means}
}

// DriverError means that the program has no driver for a kind of URL.
type DriverError struct{ Scheme string }

func (e *DriverError) Error() string {
	return fmt.Sprintf("this build of the program has no driver for %s:// URLs", e.Scheme)
}

// Driver opens a bucket, given its name and the query of a URL.
type Driver func(ctx context.Context, name, query string) (*Bucket, error)

// drivers open buckets, by the kind of URL.
var drivers = struct {
	sync.Mutex
	open map[string]Driver
}{open: map[string]Driver{"s3": openS3}}

// Register makes a driver serve URLs of a kind. It panics if scheme is not one of Schemes.
func Register(scheme string, open Driver) {
	if !slices.Contains(Schemes, scheme) {
		panic("objects: unknown scheme")
	}
	drivers.Lock()
	defer drivers.Unlock()
	drivers.open[scheme] = open
}
