// Package clouds serves gs:// and azblob:// URLs through the drivers of gocloud.dev, which take Google's and Azure's
// own libraries. They are larger than the rest of the program, so they are a separate module, and the program that the
// main module builds does not link them. This command builds one that does, in this folder:
//
//	go build -overlay overlay.json -o anchorage-clouds anchorage/cmd/anchorage
//
// The overlay adds link.txt to the program's files. Queries of URLs are those that the drivers document.
package clouds

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"anchorage/internal/objects"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // registers azblob
	_ "gocloud.dev/blob/gcsblob"   // registers gs
	"gocloud.dev/gcerrors"
)

// pageSize is the number of objects of a page of a listing.
const pageSize = 1000

func init() {
	for _, scheme := range []string{"gs", "azblob"} {
		objects.Register(scheme, driver(scheme))
	}
}

// driver returns the driver of a kind of URL.
func driver(scheme string) objects.Driver {
	return func(ctx context.Context, name, query string) (*objects.Bucket, error) {
		address := scheme + "://" + name
		if query != "" {
			address += "?" + query
		}
		opened, err := blob.OpenBucket(ctx, address)
		if err != nil {
			return nil, refusal(err)
		}
		return bucketOf(opened), nil
	}
}

// bucket is a bucket of gocloud.dev.
type bucket struct{ *blob.Bucket }

// bucketOf returns the bucket as package objects knows it.
func bucketOf(opened *blob.Bucket) *objects.Bucket {
	b := bucket{opened}
	return &objects.Bucket{Stat: b.stat, Range: b.readRange, Page: b.page, Write: b.write, Copy: b.copy, Delete: b.remove}
}

func (b bucket) stat(ctx context.Context, key string) (objects.State, error) {
	attributes, err := b.Attributes(ctx, key)
	if err != nil {
		return objects.State{}, refusal(err)
	}
	return objects.State{Size: attributes.Size, Modified: attributes.ModTime, ETag: attributes.ETag}, nil
}

func (b bucket) readRange(ctx context.Context, key string, start, length int64) (io.ReadCloser, objects.State, error) {
	body, err := b.NewRangeReader(ctx, key, start, length, nil)
	if err != nil {
		return nil, objects.State{}, refusal(err)
	}
	return body, objects.State{Size: body.Size(), Modified: body.ModTime()}, nil
}

func (b bucket) page(ctx context.Context, prefix, token string) (page []objects.Entry, next string, err error) {
	from := blob.FirstPageToken
	if token != "" {
		from = []byte(token)
	}
	found, after, err := b.ListPage(ctx, from, pageSize, &blob.ListOptions{Prefix: prefix})
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", refusal(err)
	}
	for _, object := range found {
		if !object.IsDir {
			page = append(page, objects.Entry{Key: object.Key, State: objects.State{Size: object.Size,
				Modified: object.ModTime}})
		}
	}
	return page, string(after), nil
}

func (b bucket) write(ctx context.Context, key string, content objects.Content, fresh bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	writer, err := b.NewWriter(ctx, key, &blob.WriterOptions{IfNotExist: fresh, ContentType: "application/octet-stream"})
	if err != nil {
		return refusal(err)
	}
	if _, err := io.Copy(writer, io.NewSectionReader(content, 0, content.Size())); err != nil {
		cancel() // otherwise Close would make an object of what was written so far
		return refusal(errors.Join(err, writer.Close()))
	}
	return refusal(writer.Close())
}

func (b bucket) copy(ctx context.Context, to, from string) error {
	return refusal(b.Bucket.Copy(ctx, to, from, nil))
}

func (b bucket) remove(ctx context.Context, key string) error {
	return refusal(b.Bucket.Delete(ctx, key))
}

// meanings are the errors of package fs that mean the same as a code of gocloud.dev; nil for other codes. Codes that
// are not listed may pass.
var meanings = map[gcerrors.ErrorCode]error{
	gcerrors.NotFound:           fs.ErrNotExist,
	gcerrors.PermissionDenied:   fs.ErrPermission,
	gcerrors.FailedPrecondition: fs.ErrExist,
	gcerrors.AlreadyExists:      fs.ErrExist,
	gcerrors.InvalidArgument:    nil,
	gcerrors.Unimplemented:      nil,
}

// refusal returns an error of gocloud.dev as package objects knows it.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	means, lasting := meanings[gcerrors.Code(err)]
	return &objects.Refusal{Err: err, Means: means, Lasting: lasting}
}
