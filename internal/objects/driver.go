// This file holds the drivers, by the kind of URL that each serves.

package objects

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

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
