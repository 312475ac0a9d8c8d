// This file compares converted shards with the list of their checksums.

package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/shard/fault"
)

// VerifiedShard is a shard that was compared with a list of checksums. Err says what is wrong with it; nil if nothing
// is.
type VerifiedShard struct {
	Name string
	Size int64 // bytes that were read
	Err  error
}

// VerifyConverted compares the shards of a directory that convert wrote with its list SHA256SUMS, and looks for
// _SUCCESS. is reports whether the directory is one of converted shards. The error is that of ctx, or an *Error of a
// list that cannot be read.
func VerifyConverted(ctx context.Context, folder string) (files []VerifiedShard, is bool, err error) {
	list := objects.Join(folder, ListName)
	text, err := objects.ReadFile(ctx, list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fault.InFile(list, err)
	}
	sums := ConvertedSums(string(text))
	if sums == nil {
		return nil, false, nil
	}
	complete, err := objects.Exists(ctx, objects.Join(folder, durable.Success))
	if err != nil {
		return nil, true, fault.InFile(folder, err)
	}
	if !complete {
		files = append(files, VerifiedShard{Name: durable.Success, Err: &Error{Path: folder, Err: errUnfinished}})
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		file := objects.Join(folder, name)
		size, sum, err := digestOfFile(ctx, file)
		switch {
		case ctx.Err() != nil:
			return files, true, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			err = missing(list, name)
		case err != nil:
			err = fault.InFile(file, err)
		case sum != sums[name]:
			err = &Error{Path: file, Err: fmt.Errorf("the file is damaged or has changed: its SHA-256 is %s, and %s says %s",
				sum, list, sums[name])}
		}
		files = append(files, VerifiedShard{name, size, err})
	}
	return files, true, nil
}

// digestOfFile returns the size and the SHA-256 of a file or object.
func digestOfFile(ctx context.Context, path string) (size int64, sum string, err error) {
	stream, err := objects.OpenStream(ctx, path)
	if err != nil {
		return 0, "", err
	}
	defer stream.Close()
	return digestOf(ctx, stream)
}
