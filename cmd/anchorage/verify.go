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
	return p.command("verify", cobra.MinimumNArgs(1), p.verify)
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
}

// verification is what was found of an artefact.
type verification struct {
	Path    string         `json:"path"`
	Kind    string         `json:"kind"`
	Files   []verifiedFile `json:"files"`
	Note    string         `json:"note,omitempty"`
	whole   int            // files that are what was written, beside Files
	damaged int
	first   error // that of the first damaged file
}

// add adds a file.
func (v *verification) add(name string, size int64, err error) {
	file := verifiedFile{Name: name, Size: size}
	if err != nil {
		file.Error = err.Error()
		v.damaged, v.first = v.damaged+1, cmp.Or(v.first, err)
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

// look finds out what the artefact is, and compares it with its checksums: the first of its kinds that knows it does.
func (v *verification) look(ctx context.Context) error {
	for _, kind := range []func(context.Context) (known bool, err error){v.directory, v.store, v.shards, v.checkpoint,
		v.file} {
		known, err := kind(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrPermission):
			return err
		case err != nil && !errors.As(err, new(*model.InputError)):
			return &model.InputError{Path: v.Path, Err: err, Reason: "cannot be read: " + err.Error()}
		case err != nil || known:
			return err
		}
	}
	return &model.InputError{Path: v.Path,
		Reason: "is nothing that has checksums: no sketch, factor, model, documents, converted shards, table or checkpoint"}
}

// directory compares a directory with its manifest.
func (v *verification) directory(ctx context.Context) (known bool, err error) {
	if _, err := objects.ReadFile(ctx, objects.Join(v.Path, "manifest.json")); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			err = nil
		}
		return false, err
	}
	found, err := model.Verify(ctx, v.Path)
	v.Kind = "directory"
	if slices.Contains([]string{model.KindSketch, model.KindFactor, model.KindModel, transform.Kind, choose.Kind},
		found.Kind) {
		v.Kind = strings.TrimPrefix(found.Kind, "anchorage/")
	}
	for _, file := range found.Files {
		v.add(file.Name, file.Size, file.Err)
	}
	return true, err
}

// store compares a store with its hashes.
func (v *verification) store(ctx context.Context) (known bool, err error) {
	if is, err := store.Is(ctx, v.Path); err != nil || !is {
		return false, err
	}
	found, err := store.Verify(ctx, v.Path)
	if err != nil {
		return false, err
	}
	v.Kind, v.whole = "store", found.Files
	v.Note = count(found.Files, "file is", "files are") + " what was written"
	for _, problem := range found.Problems {
		v.add(problem.Path, 0, &store.Error{Path: problem.Path, Fault: store.Damaged, Reason: problem.Reason})
	}
	return true, nil
}

// shards compares a folder of converted shards with their list.
func (v *verification) shards(ctx context.Context) (known bool, err error) {
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
func (v *verification) checkpoint(ctx context.Context) (known bool, err error) {
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
func (v *verification) file(ctx context.Context) (known bool, err error) {
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

// printVerified prints a line for each artefact, and one for each damaged file.
func printVerified(w io.Writer, all []verification) {
	for _, v := range all {
		bytes, size, state := int64(0), "", "whole"
		for _, file := range v.Files {
			bytes += file.Size
		}
		if v.damaged > 0 {
			state = fmt.Sprintf("DAMAGED: %d", v.damaged)
		}
		if v.whole == 0 { // the sizes are known
			size = fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
		}
		fmt.Fprintf(w, "%-12s %4d files %13s  %-12s %s", v.Kind, v.whole+len(v.Files), size, state, v.Path)
		if v.Note != "" {
			fmt.Fprintf(w, " (%s)", v.Note)
		}
		fmt.Fprintln(w)
		for _, file := range v.Files {
			if file.Error != "" {
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
