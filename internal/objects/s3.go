// This file is the driver of stores that speak the protocol of Amazon S3.

package objects

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

const (
	// partSize is the size up to which an object is sent in one request, and the size of the parts of a larger one. S3
	// takes mostParts of them: the parts of a very large object are larger.
	partSize  = 8 << 20
	mostParts = 10_000
	// parallelParts is how many parts are in memory, on their way.
	parallelParts = 4
	// pageSize is the number of objects of a page of a listing. S3 gives no more.
	pageSize = 1000
)

// ErrUnconditional means that a store creates an object only if it does not exist, although it exists.
var ErrUnconditional = errors.New("the store ignores If-None-Match, so that nothing keeps two runs from writing the " +
	"same output")

// s3Bucket is a bucket of such a store.
type s3Bucket struct {
	core *minio.Core
	name string
	s3Options
	// conditional is set when the store has been seen to honour If-None-Match.
	conditional atomic.Bool
}

// openS3 opens a bucket. It makes no request.
func openS3(ctx context.Context, name, query string) (*Bucket, error) {
	options, err := parseS3Options(query)
	if err != nil {
		return nil, &Refusal{Err: err, Lasting: true}
	}
	client, err := options.client(ctx)
	if err != nil {
		return nil, err
	}
	b := &s3Bucket{core: &minio.Core{Client: client}, name: name, s3Options: options}
	b.conditional.Store(options.amazon())
	return &Bucket{Stat: b.stat, Range: b.readRange, Page: b.page, Write: b.write, Copy: b.copy, Delete: b.remove}, nil
}

// stateOf returns the state in an answer. ETags keep their quotes, as the protocol writes them.
func stateOf(info minio.ObjectInfo) State {
	state := State{Size: info.Size, Modified: info.LastModified}
	if info.ETag != "" {
		state.ETag = `"` + info.ETag + `"`
	}
	return state
}

func (b *s3Bucket) stat(ctx context.Context, key string) (State, error) {
	info, err := b.core.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	return stateOf(info), s3Error(err)
}

func (b *s3Bucket) readRange(ctx context.Context, key string, start, length int64) (io.ReadCloser, State, error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(start, start+length-1); err != nil {
		return nil, State{}, err
	}
	body, info, header, err := b.core.GetObject(ctx, b.name, key, options)
	if err != nil {
		return nil, State{}, s3Error(err)
	}
	state := stateOf(info)
	if _, total, found := strings.Cut(header.Get("Content-Range"), "/"); found {
		if state.Size, err = strconv.ParseInt(total, 10, 64); err != nil {
			body.Close()
			return nil, State{}, fmt.Errorf("the store answers with the range %q", header.Get("Content-Range"))
		}
	} else if start != 0 {
		body.Close()
		return nil, State{}, &Refusal{Err: errors.New("the store ignores the Range of a request"), Lasting: true}
	}
	return body, state, nil
}

// page returns a page. Its token is the last key of the page before.
func (b *s3Bucket) page(ctx context.Context, prefix, token string) (page []Entry, next string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	owner := false
	for info := range b.core.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{
		Prefix: prefix, StartAfter: token, Recursive: true, MaxKeys: pageSize, FetchOwner: &owner,
	}) {
		if info.Err != nil {
			return nil, "", s3Error(info.Err)
		}
		if page = append(page, Entry{Key: info.Key, State: stateOf(info)}); len(page) == pageSize {
			return page, info.Key, nil
		}
	}
	return page, "", ctx.Err() // a cancelled listing ends without an error
}

func (b *s3Bucket) write(ctx context.Context, key string, content Content, fresh bool) error {
	err := b.put(ctx, key, content, fresh)
	if err != nil || !fresh || b.conditional.Load() {
		return err
	}
	// A store that ignores the condition would let two runs write the same output. It shows by writing the object again.
	err = b.put(ctx, key, content, true)
	switch {
	case errors.Is(err, fs.ErrExist):
		b.conditional.Store(true)
		return nil
	case err == nil:
		return &Refusal{Err: ErrUnconditional, Lasting: true}
	}
	return err
}

// put sends an object, with a checksum that the store compares. The client aborts an upload in parts that fails or is
// cancelled.
func (b *s3Bucket) put(ctx context.Context, key string, content Content, fresh bool) error {
	size := content.Size()
	options := minio.PutObjectOptions{
		ContentType: "application/octet-stream", ServerSideEncryption: b.encryption,
		// Not every store takes bodies that are signed chunk by chunk.
		DisableContentSha256: true,
	}
	if fresh {
		options.SetMatchETagExcept("*")
	}
	section := io.NewSectionReader(content, 0, size)
	if size > partSize {
		options.NumThreads, options.ConcurrentStreamParts, options.SendContentMd5 = parallelParts, true, true
		options.PartSize = uint64(max(partSize, (size/mostParts>>20+1)<<20))
		_, err := b.core.Client.PutObject(ctx, b.name, key, section, size, options)
		return s3Error(err)
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, section); err != nil {
		return err
	}
	if _, err := section.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := b.core.PutObject(ctx, b.name, key, section, size, "", hex.EncodeToString(digest.Sum(nil)), options)
	return s3Error(err)
}

func (b *s3Bucket) copy(ctx context.Context, to, from string) error {
	_, err := b.core.Client.CopyObject(ctx,
		minio.CopyDestOptions{Bucket: b.name, Object: to, Encryption: b.encryption},
		minio.CopySrcOptions{Bucket: b.name, Object: from})
	return s3Error(err)
}

func (b *s3Bucket) remove(ctx context.Context, key string) error {
	return s3Error(b.core.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{}))
}

// s3Error returns an error of the client as a *Refusal if the store answered, and unchanged otherwise.
func s3Error(err error) error {
	answer, is := errors.AsType[minio.ErrorResponse](err)
	if !is || answer.StatusCode == 0 {
		return err
	}
	if answer.Code != "" {
		err = fmt.Errorf("%w (%s)", err, answer.Code)
	}
	refusal := &Refusal{Err: err, Lasting: answer.StatusCode >= 300 && answer.StatusCode < 500 ||
		answer.StatusCode == http.StatusNotImplemented}
	switch answer.StatusCode {
	case http.StatusNotFound:
		refusal.Means = fs.ErrNotExist
	case http.StatusUnauthorized, http.StatusForbidden:
		refusal.Means = fs.ErrPermission
	case http.StatusPreconditionFailed:
		refusal.Means = fs.ErrExist
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusConflict: // S3 decides about another write of the same key, and asks to try again
		refusal.Lasting = false
	}
	return refusal
}
