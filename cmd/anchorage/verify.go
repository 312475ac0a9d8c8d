// This file holds the verify command: is what was written still what is there?

package main

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
		Long: `Verify reads all bytes of what Anchorage wrote and compares them with the checksums that were written with
them. PATH is a sketch, a factor, a model, a directory of documents' topics or of converted shards, a vocabulary or
another table, or a checkpoint. It ends with code 11 if anything is damaged, missing or exchanged, and names the
files.

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
	first error          // that of the first damaged file
}

// add adds a file.
func (v *verification) add(name string, size int64, err error) {
	file := verifiedFile{Name: name, Size: size, err: err}
	if err != nil {
		file.Error = err.Error()
		v.first = cmp.Or(v.first, err)
	}
	v.Files = append(v.Files, file)
}

// verify compares the artefacts at paths with their checksums, and prints what it finds.
func (p *program) verify(ctx context.Context, paths []string) error {
	all := make([]verification, 0, len(paths))
	damage := &damagedError{all: len(paths)}
	for i, path := range paths {
		p.advance("verifying", int64(i), int64(len(paths)))
		v := verification{Path: path, Files: []verifiedFile{}}
		if err := v.look(ctx); err != nil {
			return err
		}
		if v.first != nil {
			damage.damaged, damage.first = damage.damaged+1, cmp.Or(damage.first, v.first)
		}
		all = append(all, v)
	}
	if err := p.print(all, func(w io.Writer) { printVerified(w, all) }); err != nil || damage.first == nil {
		return err
	}
	return damage
}

// look finds out what the artefact is, and compares it with its checksums.
func (v *verification) look(ctx context.Context) error {
	unread := func(err error) error {
		return &model.InputError{Path: v.Path, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	_, err := objects.ReadFile(ctx, objects.Join(v.Path, "manifest.json"))
	if err == nil {
		return v.directory(ctx)
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return unread(err)
	}
	if is, err := store.Is(ctx, v.Path); err != nil {
		return unread(err)
	} else if is {
		return v.store(ctx)
	}
	folder, err := isFolder(ctx, v.Path)
	known := false
	switch {
	case err != nil:
	case folder:
		known, err = v.folder(ctx)
	default:
		known, err = v.file(ctx, v.Path)
	}
	if err == nil && !known {
		return &model.InputError{Path: v.Path,
			Reason: "is nothing that has checksums: no sketch, factor, model, documents, converted shards, table or checkpoint"}
	}
	if err != nil && ctx.Err() == nil {
		return unread(err)
	}
	return err
}

// directory compares a directory with its manifest.
func (v *verification) directory(ctx context.Context) error {
	found, err := model.Verify(ctx, v.Path)
	v.Kind = "directory"
	if slices.Contains([]string{model.KindSketch, model.KindFactor, model.KindModel, transform.Kind,
		choose.Kind}, found.Kind) {
		v.Kind = strings.TrimPrefix(found.Kind, "anchorage/")
	}
	for _, file := range found.Files {
		v.add(file.Name, file.Size, file.Err)
	}
	return err
}

func (v *verification) store(ctx context.Context) error {
	found, err := store.Verify(ctx, v.Path)
	if err != nil {
		return err
	}
	v.Kind, v.Note = "store", fmt.Sprintf("%d files are what was written", found.Files)
	for _, problem := range found.Problems {
		v.add(problem.Path, 0, &store.Error{Path: problem.Path, Fault: store.Damaged, Reason: problem.Reason})
	}
	return nil
}

// folder compares a folder of converted shards with their list, or a checkpoint with its checksums.
func (v *verification) folder(ctx context.Context) (known bool, err error) {
	files, is, err := shard.VerifyConverted(ctx, v.Path)
	if is || err != nil || objects.IsURL(v.Path) {
		v.Kind = "shards"
		for _, file := range files {
			v.add(file.Name, file.Size, file.Err)
		}
		return is, err
	}
	states, err := checkpoint.States(v.Path)
	if err != nil || len(states) == 0 {
		return false, err
	}
	v.Kind = "checkpoint"
	for _, path := range states { // by their names: their first bytes may be what is damaged
		v.add(filepath.Base(path), 0, checkpoint.VerifyState(ctx, path))
	}
	name, there, err := corpus.VerifyKept(ctx, v.Path) // the copy of the documents
	if there {
		v.add(name, 0, err)
	}
	return true, ctx.Err()
}

// file compares a table, or a state of a checkpoint, with its checksums. Its first bytes say what it is.
func (v *verification) file(ctx context.Context, path string) (known bool, err error) {
	stream, err := objects.OpenStream(ctx, path)
	if err != nil {
		return false, err
	}
	begins := make([]byte, 8)
	n, err := io.ReadFull(stream, begins)
	stream.Close()
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	switch text := string(begins[:n]); {
	case strings.HasPrefix(text, "PAR1"):
		v.Kind = "table"
		columns, err := tablefile.Verify(ctx, path)
		if err == nil && columns == 0 {
			v.Note = "has no checksums: only its footer was read"
		}
		v.add(path, 0, err)
	case text == "ANCHSTAT":
		v.Kind = "checkpoint"
		v.add(filepath.Base(path), 0, checkpoint.VerifyState(ctx, path))
	default:
		return false, nil
	}
	return true, ctx.Err()
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
