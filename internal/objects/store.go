// This file asks stores: which objects there are, and again where the answer did not come.

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
	// patience is how long one request may take.
	patience = 2 * time.Minute
)

// attempts is how often something is tried, apart from what a driver does by itself. Tests change it, and pauseUnit.
var (
	attempts  = 6
	pauseUnit = firstPause
)

// Warn is told of a failure after which the same will be tried again once the pause is over. It may be called by several
// goroutines at once.
type Warn func(path string, attempt int, pause time.Duration, err error)

// Info is an object in the state in which it was seen.
type Info struct {
	Place
	Size     int64
	Modified time.Time
	ETag     string // empty where the store has none
}

// buckets are kept open: opening one finds credentials, and all of them share connections.
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

// Error is a store's refusal, or the failure of the last attempt to reach it.
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

// Unwrap returns fs.ErrNotExist where the store says so, beside the store's own error.
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

// retry calls do until it succeeds, fails for a reason that will not pass, or has failed too often.
func retry(ctx context.Context, place Place, warn Warn, do func(context.Context) error) error {
	return retryFor(ctx, patience, place, warn, do)
}

// retryFor is retry with a time limit for each call.
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

// errChanged says that an object was overwritten.
var errChanged = errors.New("the object has changed since it was first looked at: let it be complete before it is read, and leave it alone")

// passing reports whether the reason of an error may be gone soon.
func passing(err error) bool {
	if errors.Is(err, errChanged) {
		return false
	}
	// Drivers do not give all refusals a code of their own.
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		switch status := answer.HTTPStatusCode(); status {
		case http.StatusRequestTimeout, http.StatusTooManyRequests:
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

// List calls fn with the objects whose keys begin with the key of prefix, in the order of their keys. Their ETags are
// empty: most stores tell them only when asked about the object itself.
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
				continue // some programs mark folders by empty objects
			}
			if err := fn(Info{Place: prefix.At(object.Key), Size: object.Size, Modified: object.ModTime}); err != nil {
				return err
			}
		}
		token = next
	}
	return nil
}
