// This file compares the files of a directory with the sizes and digests that its manifest lists, before they are read.

package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/sealed"
)

// Directory is a complete directory of results that is being read.
type Directory struct {
	path      string
	outputs   []OutputRecord // what its manifest lists
	unchecked bool           // files are read as they are
}

// OpenDirectory opens a complete directory of results, at a path or URL, and returns the JSON of its manifest. what
// names such directories. The error is an *InputError.
func OpenDirectory(ctx context.Context, path, what string) (*Directory, []byte, error) {
	complete, err := objects.Exists(ctx, objects.Join(path, durable.Success))
	if err != nil && (objects.IsURL(path) || errors.Is(err, fs.ErrPermission)) {
		return nil, nil, &InputError{Path: path, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	if !complete {
		if there, err := objects.Exists(ctx, path); err == nil && !there && !objects.IsURL(path) {
			return nil, nil, &InputError{Path: path, Reason: "does not exist"}
		}
		return nil, nil, &InputError{Path: path, Reason: "is not a complete " + what + ": it has no " + durable.Success}
	}
	file := objects.Join(path, ManifestFile)
	text, err := objects.ReadFile(ctx, file)
	if err != nil {
		return nil, nil, &InputError{Path: path, Err: err, Reason: "has no readable manifest: " + err.Error()}
	}
	if text, err = unsealed(ctx, file, text); err != nil {
		return nil, nil, err
	}
	var manifest struct{ Outputs []OutputRecord }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, nil, &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	return &Directory{path, manifest.Outputs, unverified(ctx)}, text, nil
}

// read reads tables one after the other; see table.read.
func (d *Directory) read(ctx context.Context, tables ...table) error {
	for _, t := range tables {
		if err := t.read(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// in returns the directory at path, whose manifest is m.
func (m *Manifest) in(ctx context.Context, path string) *Directory {
	return &Directory{path, m.Outputs, unverified(ctx)}
}

// Path returns the path or URL of the directory that m was loaded from; "" if it was not.
func (m *Model) Path() string {
	if m.from == nil {
		return ""
	}
	return m.from.path
}

// wrong returns an *InputError about what m was loaded from: its directory or, if file is not empty, a file there.
func (m *Model) wrong(file string, fault Fault, format string, args ...any) error {
	e := &InputError{Fault: fault, Reason: fmt.Sprintf(format, args...)}
	if m.from != nil {
		e.Path = m.from.path
	}
	if file != "" {
		e.Path = objects.Join(e.Path, file)
	}
	return e
}

// has reports whether the manifest lists a file; for nil it is false.
func (d *Directory) has(file string) bool {
	return d != nil && slices.ContainsFunc(d.outputs, func(o OutputRecord) bool { return o.Name == file })
}

// unverifiedKey is the key of a context of Unverified.
type unverifiedKey struct{}

// Unverified returns a context under which files are read as they are: nothing is compared with the digests of
// manifests.
func Unverified(ctx context.Context) context.Context {
	return context.WithValue(ctx, unverifiedKey{}, true)
}

func unverified(ctx context.Context) bool { return ctx.Value(unverifiedKey{}) != nil }

// Verify compares a file with its size and SHA-256 in the manifest. The error is an *InputError if the file is missing,
// differs, or is not listed. It does nothing for a directory that was opened under a context of Unverified.
func (d *Directory) Verify(ctx context.Context, name string) error {
	if d.unchecked {
		return nil
	}
	file := objects.Join(d.path, name)
	at := slices.IndexFunc(d.outputs, func(o OutputRecord) bool { return o.Name == name })
	if at < 0 {
		return &InputError{Path: file, Fault: Incomplete, Reason: "is not among the files that the manifest beside it lists"}
	}
	want := d.outputs[at]
	sha256, size, err := objects.Digest(ctx, file)
	damaged := func(what string, got, want any) error {
		return &InputError{Path: file, Fault: Damaged,
			Reason: fmt.Sprintf("is damaged, or is that of another directory: %s %v, and its manifest says %v", what, got, want)}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return &InputError{Path: file, Fault: Incomplete, Err: err, Reason: "is missing, although the manifest beside it " +
			"lists it"}
	case err != nil:
		return &InputError{Path: file, Err: err, Reason: "cannot be read: " + err.Error()}
	case size != want.Size:
		return damaged("its size in bytes is", size, want.Size)
	case sha256 != want.SHA256:
		return damaged("its SHA-256 is", sha256, want.SHA256)
	}
	return nil
}

// unsealed returns the JSON of a file without its checksum. The error is an *InputError if that is wrong or missing.
// Under a context of Unverified the checksum does not count.
func unsealed(ctx context.Context, file string, text []byte) ([]byte, error) {
	object, has, err := sealed.Open(text)
	switch {
	case unverified(ctx):
		return text, nil
	case err == nil && !has:
		err = errors.New("its checksum is missing")
	}
	if err != nil {
		return nil, &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be trusted: " + err.Error()}
	}
	return object, nil
}

// readBeside reads a file of JSON into an object, one of those that the directory at path has beside the files with
// digests, and returns its size, 0 if it is not there. The error is an *InputError if its checksum is wrong or missing,
// or if it is not there although the names of such files, or other files, say that it was.
func readBeside(ctx context.Context, path, name string, beside []string, object any) (size int, err error) {
	file := objects.Join(path, current(ctx, path, name))
	text, err := objects.ReadFile(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		lost, failed := slices.Contains(beside, name), error(nil)
		if name == recommendFile && !lost {
			lost, failed = objects.Exists(ctx, objects.Join(path, neighboursFile))
		}
		if failed != nil || !lost {
			return 0, failed
		}
		return 0, &InputError{Path: file, Fault: Incomplete, Err: err,
			Reason: "is missing, although other files say that it was there"}
	}
	if err != nil {
		return 0, err
	}
	size = len(text)
	if text, err = unsealed(ctx, file, text); err != nil {
		return size, err
	}
	if err := json.Unmarshal(text, object); err != nil {
		return size, &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	return size, nil
}
