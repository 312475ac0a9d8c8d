// This file compares the files of a directory with the sizes and digests that its manifest lists, before they are read.

package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"anchorage/internal/objects"
	"anchorage/internal/sealed"
)

// directory is a complete directory that is being read.
type directory struct {
	path      string
	outputs   []OutputRecord // what its manifest lists
	unchecked bool           // files are read as they are
}

// in returns the directory at path, whose manifest is m.
func (m *Manifest) in(ctx context.Context, path string) directory {
	return directory{path, m.Outputs, unverified(ctx)}
}

// has reports whether the manifest lists a file.
func (d directory) has(file string) bool {
	return slices.ContainsFunc(d.outputs, func(o OutputRecord) bool { return o.Name == file })
}

// verify compares a file with what the manifest lists.
func (d directory) verify(ctx context.Context, file string) error {
	if d.unchecked {
		return nil
	}
	return VerifyFile(ctx, d.path, d.outputs, file)
}

// unverifiedKey is the key of a context of Unverified.
type unverifiedKey struct{}

// Unverified returns a context under which files are read as they are: nothing is compared with the digests of manifests.
func Unverified(ctx context.Context) context.Context {
	return context.WithValue(ctx, unverifiedKey{}, true)
}

func unverified(ctx context.Context) bool { return ctx.Value(unverifiedKey{}) != nil }

// VerifyFile compares a file of the directory at path, which may be a URL, with its size and SHA-256 in a list. The error is an
// *InputError if the file is missing, differs, or is not in the list. Under a context of Unverified, VerifyFile does nothing.
func VerifyFile(ctx context.Context, path string, outputs []OutputRecord, name string) error {
	if unverified(ctx) {
		return nil
	}
	file := objects.Join(path, name)
	at := slices.IndexFunc(outputs, func(o OutputRecord) bool { return o.Name == name })
	if at < 0 {
		return &InputError{Path: file, Fault: Incomplete, Reason: "is not among the files that the manifest beside it lists"}
	}
	want := outputs[at]
	got, err := digestFile(ctx, file)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return &InputError{Path: file, Fault: Incomplete, Err: err, Reason: "is missing, although the manifest beside it lists it"}
	case err != nil:
		return &InputError{Path: file, Err: err, Reason: "cannot be read: " + err.Error()}
	case got.Size != want.Size:
		return &InputError{Path: file, Fault: Damaged, Reason: fmt.Sprintf("is damaged, or is that of another directory: it has %d bytes, and its manifest says %d", got.Size, want.Size)}
	case got.SHA256 != want.SHA256:
		return &InputError{Path: file, Fault: Damaged, Reason: fmt.Sprintf("is damaged, or is that of another directory: its SHA-256 is %s, and its manifest says %s", got.SHA256, want.SHA256)}
	}
	return nil
}

// digestFile returns the size and the SHA-256 of a file or object.
func digestFile(ctx context.Context, path string) (r OutputRecord, err error) {
	stream, err := objects.OpenStream(ctx, path)
	if err != nil {
		return r, err
	}
	defer stream.Close()
	hash := sha256.New()
	buffer := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		n, err := stream.Read(buffer)
		hash.Write(buffer[:n])
		r.Size += int64(n)
		if err == io.EOF {
			r.SHA256 = hex.EncodeToString(hash.Sum(nil))
			return r, nil
		}
		if err != nil {
			return r, err
		}
	}
}

// OpenManifest returns the JSON of a manifest without its checksum. file names it in errors, *InputError of a checksum that is wrong or
// missing. Under a context of Unverified the checksum does not count.
func OpenManifest(ctx context.Context, file string, text []byte) ([]byte, error) {
	object, has, err := sealed.Open(text)
	switch {
	case unverified(ctx):
		return text, nil
	case err != nil:
		return nil, &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be trusted: " + err.Error()}
	case !has:
		return nil, &InputError{Path: file, Fault: Damaged, Reason: "cannot be trusted: its checksum is missing"}
	}
	return object, nil
}
