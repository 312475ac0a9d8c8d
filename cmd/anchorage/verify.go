// This file holds the verify command: is what was written still what is there?

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

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

func (p *program) verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Compare models and other results with their checksums",
		Long: `Verify reads all bytes of what Anchorage wrote and compares them with the checksums that were written with them. PATH is a
sketch, a factor, a model, a directory of documents' topics or of converted shards, a vocabulary or another table, a compact copy
of documents, or a checkpoint. It ends with code 11 if anything is damaged, missing or exchanged, and names the files.

Stages make the same comparison with the files that they read, unless --no-verify forbids it.`,
		Example: `  anchorage verify model
  anchorage verify s3://bucket/models/2026-11-21 vocabulary.parquet --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return p.verify(ctx, args) }),
	}
	return p.with(cmd)
}

// damagedError reports that artefacts are not what was written.
type damagedError struct {
	damaged, all int
	first        error
}

// Error says how many are damaged.
func (e *damagedError) Error() string {
	if e.all == 1 {
		return "damaged: " + e.first.Error()
	}
	return fmt.Sprintf("%d of %d are damaged: %v", e.damaged, e.all, e.first)
}

// Unwrap returns what is wrong with the first.
func (e *damagedError) Unwrap() error { return e.first }

// verify compares the artefacts at paths with their checksums, and prints what it finds.
func (p *program) verify(ctx context.Context, paths []string) error {
	all := make([]verification, 0, len(paths))
	damage := &damagedError{all: len(paths)}
	for i, path := range paths {
		p.advance("verifying", int64(i), int64(len(paths)))
		v, err := p.verifyOne(ctx, path)
		if err != nil {
			return err
		}
		if err := v.first(); err != nil {
			if damage.damaged++; damage.first == nil {
				damage.first = err
			}
		}
		all = append(all, v)
	}
	if err := p.print(all, func(w io.Writer) { printVerified(w, all) }); err != nil || damage.first == nil {
		return err
	}
	return damage
}

// verifyOne compares an artefact with its checksums.
func (p *program) verifyOne(ctx context.Context, path string) (verification, error) {
	v := verification{Path: path, Files: []verifiedFile{}}
	a, err := lookAt(ctx, path)
	if err != nil {
		return v, &model.InputError{Path: path, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	for _, kind := range verifyKinds {
		is, err := kind.is(ctx, a)
		if err != nil {
			return v, &model.InputError{Path: path, Err: err, Reason: "cannot be read: " + err.Error()}
		}
		if is {
			v.Kind = kind.name
			return v, kind.verify(ctx, p, a, &v)
		}
	}
	return v, &model.InputError{Path: path, Reason: "is nothing that has checksums: no sketch, factor, model, documents, converted shards, table, compact copy or checkpoint"}
}

// printVerified prints a line for each artefact, and one for each damaged file.
func printVerified(w io.Writer, all []verification) {
	for _, v := range all {
		bytes, damaged := int64(0), 0
		for _, file := range v.Files {
			bytes += file.Size
			if file.err != nil {
				damaged++
			}
		}
		state := "whole"
		if damaged > 0 {
			state = fmt.Sprintf("DAMAGED: %d", damaged)
		}
		fmt.Fprintf(w, "%-12s %4d files %10.1f MB  %-12s %s", v.Kind, len(v.Files), float64(bytes)/1e6, state, v.Path)
		if v.Note != "" {
			fmt.Fprintf(w, " (%s)", v.Note)
		}
		fmt.Fprintln(w)
		for _, file := range v.Files {
			if file.err != nil {
				fmt.Fprintf(w, "  %s\n", file.Error)
			}
		}
	}
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
	if err != nil {
		return err
	}
	name, there, err := corpus.VerifyKept(ctx, a.path)
	if there {
		v.add(name, 0, err)
	}
	return ctx.Err()
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
