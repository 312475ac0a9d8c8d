// This file writes objects. An object appears when it is complete.

package objects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

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
