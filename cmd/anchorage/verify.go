// This file holds the verify command: is what was written still what is there?

package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	"anchorage/model"
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
