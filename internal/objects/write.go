// This file writes objects. An object comes to be when it is complete.

package objects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"gocloud.dev/blob"
)

const (
	// copyLimit is the size of the largest object that every store copies in one request.
	copyLimit = 5 << 30
	// slowest is the number of bytes per second below which an upload is tried anew.
	slowest = 128 << 10
)

// Upload writes a file of this machine to place, over what is there.
func Upload(ctx context.Context, place Place, path string, warn Warn) error {
	bucket, err := place.bucket(ctx)
	if err != nil {
		return err
	}
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
	return retryFor(ctx, limit, place, warn, func(ctx context.Context) error {
		return upload(ctx, bucket, place.Key, io.NewSectionReader(file, 0, info.Size()), false)
	})
}

// Put writes a small object that must not exist yet; the error wraps fs.ErrExist if it does. The content must be one that
// nobody else would write there: an attempt may succeed and its answer be lost.
func Put(ctx context.Context, place Place, content []byte, warn Warn) error {
	bucket, err := place.bucket(ctx)
	if err != nil {
		return err
	}
	tried := false
	err = retry(ctx, place, warn, func(ctx context.Context) error {
		defer func() { tried = true }()
		return upload(ctx, bucket, place.Key, bytes.NewReader(content), true)
	})
	if tried && len(content) > 0 && errors.Is(err, fs.ErrExist) {
		if there, failed := bucket.ReadAll(ctx, place.Key); failed == nil && bytes.Equal(there, content) {
			return nil
		}
	}
	return err
}

func upload(ctx context.Context, bucket *blob.Bucket, key string, content io.Reader, fresh bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	writer, err := bucket.NewWriter(ctx, key, &blob.WriterOptions{IfNotExist: fresh, ContentType: "application/octet-stream"})
	if err != nil {
		return err
	}
	if _, err := io.Copy(writer, content); err != nil {
		cancel() // otherwise Close would make an object of what came so far
		return errors.Join(err, writer.Close())
	}
	return writer.Close()
}

// Move gives an object another key in its bucket, or, where it is too large for that, writes the file that it was made of
// there.
func Move(ctx context.Context, from, to Place, path string, warn Warn) error {
	bucket, err := from.bucket(ctx)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > copyLimit {
		err = Upload(ctx, to, path, warn)
	} else {
		err = retry(ctx, to, warn, func(ctx context.Context) error { return bucket.Copy(ctx, to.Key, from.Key, nil) })
	}
	if err != nil {
		return err
	}
	return Remove(ctx, from, warn)
}

// Remove removes an object. It is no error if there is none.
func Remove(ctx context.Context, place Place, warn Warn) error {
	bucket, err := place.bucket(ctx)
	if err != nil {
		return err
	}
	err = retry(ctx, place, warn, func(ctx context.Context) error { return bucket.Delete(ctx, place.Key) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
