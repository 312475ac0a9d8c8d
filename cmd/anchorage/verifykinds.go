// This file holds the kinds of artefacts that verify knows, in one table: how each is recognised, and how it is compared with its
// checksums.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
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

// verifiedFile is a file that was compared with its checksum.
type verifiedFile struct {
	Name  string `json:"name"`
	Size  int64  `json:"size,omitempty"`
	Error string `json:"error,omitempty"`
	err   error
}

// verification is what was found of an artefact.
type verification struct {
	Path  string         `json:"path"`
	Kind  string         `json:"kind"`
	Files []verifiedFile `json:"files"`
	Note  string         `json:"note,omitempty"`
}

// add adds a file.
func (v *verification) add(name string, size int64, err error) {
	file := verifiedFile{Name: name, Size: size, err: err}
	if err != nil {
		file.Error = err.Error()
	}
	v.Files = append(v.Files, file)
}

// first returns the first error of a file; nil if all are whole.
func (v *verification) first() error {
	for _, file := range v.Files {
		if file.err != nil {
			return file.err
		}
	}
	return nil
}

// artefact is what verify knows of a path before it chooses a kind: the kind in the manifest of a directory, if it has one, or the first
// bytes of a file.
type artefact struct {
	path     string
	folder   bool
	manifest string
	begins   []byte
}

// verifyKind is a kind of artefacts.
type verifyKind struct {
	name string
	// is reports whether an artefact looks like one of the kind.
	is func(ctx context.Context, a *artefact) (bool, error)
	// verify compares it with its checksums. An error says that this was not possible.
	verify func(ctx context.Context, p *program, a *artefact, v *verification) error
}

// verifyKinds are all kinds. The first that fits an artefact is its kind.
var verifyKinds = []verifyKind{
	{"sketch", manifestOf(model.KindSketch), verifyDirectory},
	{"factor", manifestOf(model.KindFactor), verifyDirectory},
	{"model", manifestOf(model.KindModel), verifyDirectory},
	{"documents", manifestOf(transform.Kind), verifyDirectory},
	{"choice", manifestOf(choose.Kind), verifyDirectory},
	{"store", func(ctx context.Context, a *artefact) (bool, error) { return store.Is(ctx, a.path) }, verifyStore},
	{"shards", isConverted, verifyConverted},
	{"table", beginsWith("PAR1"), verifyTable},
	{"corpus", beginsWith("ANCHCORP"), verifyCopy},
	{"checkpoint", beginsWith("ANCHSTAT"), verifyState},
	{"checkpoint", isCheckpoint, verifyStates},
	{"directory", func(_ context.Context, a *artefact) (bool, error) { return a.manifest != "", nil }, verifyDirectory},
}

// manifestOf recognises directories by the kind in their manifest.
func manifestOf(kind string) func(context.Context, *artefact) (bool, error) {
	return func(_ context.Context, a *artefact) (bool, error) { return a.manifest == kind, nil }
}

// beginsWith recognises files by their first bytes.
func beginsWith(magic string) func(context.Context, *artefact) (bool, error) {
	return func(_ context.Context, a *artefact) (bool, error) {
		return bytes.HasPrefix(a.begins, []byte(magic)), nil
	}
}

// isConverted recognises directories of converted shards.
func isConverted(ctx context.Context, a *artefact) (bool, error) {
	if !a.folder {
		return false, nil
	}
	list, err := objects.ReadFile(ctx, objects.Join(a.path, shard.ListName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && shard.ConvertedSums(string(list)) != nil, err
}

// verifyDirectory verifies a directory by its manifest.
func verifyDirectory(ctx context.Context, _ *program, a *artefact, v *verification) error {
	found, err := model.Verify(ctx, a.path)
	for _, file := range found.Files {
		v.add(file.Name, file.Size, file.Err)
	}
	return err
}

func verifyStore(ctx context.Context, _ *program, a *artefact, v *verification) error {
	found, err := store.Verify(ctx, a.path)
	if err != nil {
		return err
	}
	for _, problem := range found.Problems {
		v.add(problem.Path, 0, &store.Error{Path: problem.Path, Fault: store.Damaged, Reason: problem.Reason})
	}
	v.Note = fmt.Sprintf("%d files are what was written", found.Files)
	return nil
}

func verifyConverted(ctx context.Context, _ *program, a *artefact, v *verification) error {
	files, _, err := shard.VerifyConverted(ctx, a.path)
	for _, file := range files {
		v.add(file.Name, file.Size, file.Err)
	}
	return err
}

func verifyTable(ctx context.Context, _ *program, a *artefact, v *verification) error {
	columns, err := tablefile.Verify(ctx, a.path)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && columns == 0 {
		v.Note = "has no checksums: only its footer was read"
	}
	v.add(a.path, 0, err)
	return nil
}

// isCheckpoint recognises the folders of checkpoints of this machine.
func isCheckpoint(_ context.Context, a *artefact) (bool, error) {
	if !a.folder || objects.IsURL(a.path) {
		return false, nil
	}
	states, err := checkpoint.States(a.path)
	return len(states) > 0, err
}

func verifyStates(ctx context.Context, p *program, a *artefact, v *verification) error {
	states, err := checkpoint.States(a.path)
	for _, path := range states {
		if err := verifyState(ctx, p, &artefact{path: path}, v); err != nil {
			return err
		}
	}
	return err
}

func verifyState(ctx context.Context, _ *program, a *artefact, v *verification) error {
	err := checkpoint.VerifyState(ctx, a.path)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	v.add(filepath.Base(a.path), 0, err)
	return nil
}

func verifyCopy(ctx context.Context, p *program, a *artefact, v *verification) error {
	docs, err := corpus.OpenCopy(a.path)
	if err == nil {
		err = errors.Join(docs.Verify(ctx, p.workers), docs.Close())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	v.add(a.path, 0, err)
	return nil
}

// lookAt finds out what a path is.
func lookAt(ctx context.Context, path string) (*artefact, error) {
	a := &artefact{path: path}
	text, err := objects.ReadFile(ctx, objects.Join(path, "manifest.json"))
	if err == nil {
		a.folder = true
		var manifest struct {
			Kind string `json:"kind"`
		}
		if a.manifest = "unknown"; json.Unmarshal(text, &manifest) == nil && manifest.Kind != "" {
			a.manifest = manifest.Kind
		}
		return a, nil
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, err
	}
	if a.folder, err = isFolder(ctx, path); err != nil || a.folder {
		return a, err
	}
	stream, err := objects.OpenStream(ctx, path)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	a.begins = make([]byte, 8)
	n, err := io.ReadFull(stream, a.begins)
	if a.begins = a.begins[:n]; err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return a, err
}
