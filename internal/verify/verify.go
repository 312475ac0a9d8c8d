// Package verify compares what a program has written with the checksums that were written with it: results of stages,
// stores, converted shards, checkpoints and tables.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/shard/tablefile"
	"anchorage/store"
)

// Found is what was found at a path.
type Found struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Files   []File `json:"files"`
	Note    string `json:"note,omitempty"`
	Whole   int    `json:"-"` // files that are what was written, beside Files
	Damaged int    `json:"-"` // of Files
	First   error  `json:"-"` // that of the first damaged file; nil if all are whole
}

// File is a file that was compared with its checksum.
type File struct {
	Name  string `json:"name"`
	Size  int64  `json:"size,omitempty"` // bytes; 0 if unknown
	Error string `json:"error,omitempty"`
}

// add adds a file.
func (v *Found) add(name string, size int64, err error) {
	file := File{Name: name, Size: size}
	if err != nil {
		file.Error = err.Error()
		v.Damaged, v.First = v.Damaged+1, cmp.Or(v.First, err)
	}
	v.Files = append(v.Files, file)
}

// Path compares what is at a path, of whatever kind, with its checksums: the first of the kinds that knows it does.
// What is damaged is in the result. The error is that of ctx, or a *model.InputError if nothing of a known kind can be
// read there.
func Path(ctx context.Context, path string) (*Found, error) {
	v := &Found{Path: path, Files: []File{}}
	for _, kind := range []func(context.Context) (known bool, err error){v.directory, v.store, v.shards, v.checkpoint,
		v.file} {
		known, err := kind(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.Is(err, fs.ErrPermission) && !errors.As(err, new(*model.InputError)):
			return nil, &model.InputError{Path: path, Err: err, Reason: "cannot be read: " + err.Error()}
		case err != nil || known:
			return v, err
		}
	}
	return nil, &model.InputError{Path: path,
		Reason: "is nothing that has checksums: no sketch, factor, model, documents, converted shards, table or checkpoint"}
}

// directory compares a directory with its manifest.
func (v *Found) directory(ctx context.Context) (known bool, err error) {
	if _, err := objects.ReadFile(ctx, objects.Join(v.Path, model.ManifestFile)); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			err = nil
		}
		return false, err
	}
	kind, err := model.Verify(ctx, v.Path, v.add)
	v.Kind = "directory"
	if slices.Contains([]string{model.KindSketch, model.KindFactor, model.KindModel, transform.Kind, choose.Kind}, kind) {
		v.Kind = strings.TrimPrefix(kind, "anchorage/")
	}
	return true, err
}

// store compares a store with its hashes.
func (v *Found) store(ctx context.Context) (known bool, err error) {
	if is, err := store.Is(ctx, v.Path); err != nil || !is {
		return false, err
	}
	found, err := store.Verify(ctx, v.Path)
	if err != nil {
		return false, err
	}
	v.Kind, v.Whole, v.Note = "store", found.Files, fmt.Sprintf("%d files are what was written", found.Files)
	if found.Files == 1 {
		v.Note = "1 file is what was written"
	}
	for _, problem := range found.Problems {
		v.add(problem.Path, 0, &store.Error{Path: problem.Path, Fault: store.Damaged, Reason: problem.Reason})
	}
	return true, nil
}

// shards compares a folder of converted shards with their list.
func (v *Found) shards(ctx context.Context) (known bool, err error) {
	if folder, err := isFolder(ctx, v.Path); err != nil || !folder {
		return false, err
	}
	if there, err := objects.Exists(ctx, objects.Join(v.Path, shard.ListName)); err != nil || !there {
		return false, err
	}
	v.Kind = "shards"
	shards, err := shard.Discover(ctx, []string{v.Path}, shard.Options{})
	if bad := new(shard.Error); errors.As(err, &bad) {
		v.add(filepath.Base(bad.Path), 0, bad) // a shard is missing, or the folder was not completed
		return true, nil
	}
	if err != nil || !shards[0].Expects() {
		return false, err
	}
	for _, s := range shards {
		_, err := s.Digest(ctx)
		v.add(filepath.Base(s.Path), s.Size, err)
	}
	return true, ctx.Err()
}

// checkpoint compares the states of a checkpoint, by their names since their first bytes may be what is damaged, and
// the copy of the documents.
func (v *Found) checkpoint(ctx context.Context) (known bool, err error) {
	if folder, err := isFolder(ctx, v.Path); err != nil || !folder || objects.IsURL(v.Path) {
		return false, err
	}
	states, err := checkpoint.States(v.Path)
	if err != nil || len(states) == 0 {
		return false, err
	}
	v.Kind = "checkpoint"
	for _, path := range states {
		v.add(filepath.Base(path), 0, checkpoint.VerifyState(ctx, path))
	}
	if name, there, err := corpus.VerifyKept(ctx, v.Path); there {
		v.add(name, 0, err)
	}
	return true, nil
}

// file compares a table with its checksums. Its first bytes say that it is one.
func (v *Found) file(ctx context.Context) (known bool, err error) {
	if folder, err := isFolder(ctx, v.Path); err != nil || folder {
		return false, err
	}
	stream, err := objects.OpenStream(ctx, v.Path)
	if err != nil {
		return false, err
	}
	begins := make([]byte, 8)
	n, err := io.ReadFull(stream, begins)
	stream.Close()
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	if !strings.HasPrefix(string(begins[:n]), "PAR1") {
		return false, nil
	}
	v.Kind = "table"
	columns, err := tablefile.Verify(ctx, v.Path)
	if err == nil && columns == 0 {
		v.Note = "has no checksums: only its footer was read"
	}
	v.add(v.Path, 0, err)
	return true, nil
}

// isFolder reports whether a path is a folder, or the prefix of objects.
func isFolder(ctx context.Context, path string) (bool, error) {
	if objects.IsURL(path) {
		there, err := objects.Exists(ctx, path)
		return !there, err
	}
	local, err := objects.Local(path)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(local)
	return err == nil && info.IsDir(), err
}
