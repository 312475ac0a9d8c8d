// This file asks stores which objects they hold, and repeats requests that failed.

package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

const (
	// firstPause is how long the first pause is; each is twice the one before.
	firstPause = 250 * time.Millisecond
	// patience is how long one attempt may take.
	patience = 2 * time.Minute
)

// attempts is how often a request is tried; drivers repeat some by themselves besides. Tests change it, and pauseUnit.
var (
	attempts  = 6
	pauseUnit = firstPause
)

// Warn is told of a failure before the same request is tried again after the pause. path is the URL, attempt counts from
// 1. Several goroutines may call it at once. A nil Warn stands for silence.
type Warn func(path string, attempt int, pause time.Duration, err error)

// Info describes the state of an object when it was seen.
type Info struct {
	Place
	Size     int64
	Modified time.Time
	ETag     string // empty if the store has none
}

// buckets stay open: opening one looks for credentials, and an open one keeps its connections.
var buckets struct {
	sync.Mutex
	open map[string]*blob.Bucket
}

// bucket returns the bucket of a place.
func (p Place) bucket(ctx context.Context) (*blob.Bucket, error) {
	address := p.Bucket
	if p.Query != "" {
		address += "?" + p.Query
	}
	buckets.Lock()
	defer buckets.Unlock()
	if b := buckets.open[address]; b != nil {
		return b, nil
	}
	b, err := blob.OpenBucket(context.WithoutCancel(ctx), address)
	if err != nil {
		return nil, &Error{Path: address, Err: err}
	}
	if buckets.open == nil {
		buckets.open = make(map[string]*blob.Bucket)
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

// plainError is an Error whose text is the reason alone.
type plainError struct{ whole *Error }

func (p *plainError) Error() string   { return p.whole.reason() }
func (p *plainError) Unwrap() []error { return p.whole.Unwrap() }

// reason is the store's text in one line.
func (e *Error) reason() string { return strings.Join(strings.Fields(e.Err.Error()), " ") }

// Unwrap returns the store's own error, and beside it the error of package fs that means the same, if there is one.
func (e *Error) Unwrap() []error {
	switch gcerrors.Code(e.Err) {
	case gcerrors.NotFound:
		return []error{e.Err, fs.ErrNotExist}
	case gcerrors.PermissionDenied:
		return []error{e.Err, fs.ErrPermission}
	case gcerrors.FailedPrecondition:
		return []error{e.Err, fs.ErrExist}
	}
	return []error{e.Err}
}

// retry calls do until it succeeds, fails for a lasting reason, or has failed attempts times. do gets at most patience
// for each call.
func retry(ctx context.Context, place Place, warn Warn, do func(context.Context) error) error {
	return retryFor(ctx, patience, place, warn, do)
}

// retryFor is retry with another limit for each call.
func retryFor(ctx context.Context, limit time.Duration, place Place, warn Warn, do func(context.Context) error) error {
	pause := pauseUnit
	for attempt := 1; ; attempt++ {
		limited, cancel := context.WithTimeout(ctx, limit)
		err := do(limited)
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
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		pause *= 2
	}
}

// errChanged means that an object was overwritten.
var errChanged = errors.New("the object has changed since it was first looked at: objects must be complete before a run and must not change during it")

// passing reports whether the same request may succeed a little later.
func passing(err error) bool {
	if errors.Is(err, errChanged) {
		return false
	}
	// Drivers have no code of their own for some refusals. S3 answers 409 to a write while it decides about another one of
	// the same key, and asks to try again.
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		switch status := answer.HTTPStatusCode(); status {
		case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
			return true
		default:
			if status >= 400 && status < 500 {
				return false
			}
		}
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.AlreadyExists, gcerrors.InvalidArgument, gcerrors.Unimplemented,
		gcerrors.FailedPrecondition, gcerrors.PermissionDenied:
		return false
	}
	return true
}

// Stat returns an object. The error wraps fs.ErrNotExist if there is none.
func Stat(ctx context.Context, place Place, warn Warn) (Info, error) {
	info := Info{Place: place}
	bucket, err := place.bucket(ctx)
	if err != nil {
		return info, err
	}
	err = retry(ctx, place, warn, func(ctx context.Context) error {
		attributes, err := bucket.Attributes(ctx, place.Key)
		if err == nil {
			info.Size, info.Modified, info.ETag = attributes.Size, attributes.ModTime, attributes.ETag
		}
		return err
	})
	return info, err
}

// List calls fn for every object whose key begins with the key of prefix, in the order of the keys. ETags are empty: most
// stores give them only for single objects.
func List(ctx context.Context, prefix Place, warn Warn, fn func(Info) error) error {
	bucket, err := prefix.bucket(ctx)
	if err != nil {
		return err
	}
	const pageSize = 1000
	for token := blob.FirstPageToken; len(token) > 0; {
		var page []*blob.ListObject
		var next []byte
		err := retry(ctx, prefix, warn, func(ctx context.Context) (err error) {
			page, next, err = bucket.ListPage(ctx, token, pageSize, &blob.ListOptions{Prefix: prefix.Key})
			if err == io.EOF {
				err = nil
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, object := range page {
			if object.IsDir || strings.HasSuffix(object.Key, "/") {
				continue // some programs mark folders with empty objects
			}
			if err := fn(Info{Place: prefix.At(object.Key), Size: object.Size, Modified: object.ModTime}); err != nil {
				return err
			}
		}
		token = next
	}
	return nil
}
