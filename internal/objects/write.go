// This file writes objects. An object appears when it is complete.

package objects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"gocloud.dev/blob"
)

const (
	// copyLimit is the size up to which every store copies an object in one request.
	copyLimit = 5 << 30
	// slowest is the rate, in bytes per second, below which an upload is given up and tried again.
	slowest = 128 << 10
	// wholeLimit is the size up to which no driver sends an object in parts; it is the smallest part that S3 takes.
	wholeLimit = 5 << 20
	// abortTime is how long a driver may take to abort an upload in parts.
	abortTime = 10 * time.Second
)

// Upload writes a file of this machine to place and replaces an object that is there. Cancelled, it leaves nothing new.
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
		return upload(ctx, bucket, place, io.NewSectionReader(file, 0, info.Size()), false)
	})
}

// Put writes a small object that must not exist yet; the error wraps fs.ErrExist if it does. An object with the same
// content is taken for this one, since an attempt may succeed although its answer gets lost. So nobody else may write that
// content there.
func Put(ctx context.Context, place Place, content []byte, warn Warn) error {
	bucket, err := place.bucket(ctx)
	if err != nil {
		return err
	}
	err = retry(ctx, place, warn, func(ctx context.Context) error {
		return upload(ctx, bucket, place, bytes.NewReader(content), true)
	})
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	var there []byte
	reading := retry(ctx, place, warn, func(ctx context.Context) (err error) {
		there, err = bucket.ReadAll(ctx, place.Key)
		return err
	})
	if reading == nil && bytes.Equal(there, content) {
		return nil
	}
	return err
}

// sized is a content of known size.
type sized interface {
	io.Reader
	Size() int64
}

// upload writes an object; fresh says that there must be none.
func upload(ctx context.Context, bucket *blob.Bucket, place Place, content sized, fresh bool) error {
	options := &blob.WriterOptions{IfNotExist: fresh, ContentType: "application/octet-stream"}
	if strings.HasPrefix(place.Bucket, "s3://") && content.Size() > wholeLimit {
		return uploadParts(ctx, bucket, place.Key, content, options)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	writer, err := bucket.NewWriter(ctx, place.Key, options)
	if err != nil {
		return err
	}
	if _, err := io.Copy(writer, content); err != nil {
		cancel() // otherwise Close would make an object of what was written so far
		return errors.Join(err, writer.Close())
	}
	return writer.Close()
}

// uploadParts writes a large object to S3, which keeps, and charges for, the parts of an upload that nobody completes or
// aborts. The driver aborts a failed upload, but only while its context lives. So the end of ctx makes reading fail first,
// and ends the driver's requests after abortTime.
func uploadParts(ctx context.Context, bucket *blob.Bucket, key string, content io.Reader, options *blob.WriterOptions) error {
	driver, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(abortTime, cancel) })
	defer stop()
	return bucket.Upload(driver, key, &bounded{ctx, content}, options)
}

// bounded is a reader that fails when its context has ended.
type bounded struct {
	ctx context.Context
	io.Reader
}

func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

// Move gives an object another key of its bucket. path is the file with the same content: objects above copyLimit are
// uploaded from it again.
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

// Remove removes an object. It returns nil if there is none.
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
