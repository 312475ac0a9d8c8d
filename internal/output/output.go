// Package output writes the results of a program, to a path of this machine or to the URL of an object store. Whatever
// fails, a result is complete or absent.
//
// Package durable writes paths. Files for a store are collected in the temporary folder of the system and uploaded;
// package objects says what URLs look like and what is tried again. The caller's Warn is told of every retry; nil means
// silence. Nothing is logged here.
//
// CheckPlace and Replaceable say where an output may be, and what it may take the place of: nothing that another
// program or a person has made is ever removed.
//
// A context bounds everything before the commit: after it is cancelled, nothing is left of the output. A commit that
// has begun runs to its end, or to the end of its lease in a store.
package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

// Begin begins a directory at path, which may be a URL. Unless replace is set, the error wraps durable.ErrExists if
// anything is there. Otherwise a directory of results of the kind may be there, which stays until Commit exchanges it
// for the new one: the error wraps durable.ErrNotReplaceable if Replaceable refuses what is there, or if that cannot be
// done in one step, as in object stores. It wraps durable.ErrLocked if another run is writing the same directory.
//
// On this machine Commit renames the directory, whatever ctx says. In a store Commit first uploads the files to
// temporary keys; cancelling ctx meanwhile ends Commit with its error and removes them. The commit begins with the
// claim of the directory and can no longer be cancelled then.
func Begin(ctx context.Context, path, kind string, replace bool, warn objects.Warn) (*durable.Dir, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if objects.IsURL(path) {
		if replace {
			return nil, fmt.Errorf("%s: %w: an object store cannot exchange two folders in one step", path,
				durable.ErrNotReplaceable)
		}
		return createStored(ctx, path, warn)
	}
	path, err := objects.Local(path)
	if err != nil {
		return nil, err
	}
	if !replace {
		return durable.Create(path)
	}
	return durable.Replace(path, func(path string) error { return Replaceable(path, kind) })
}

// Hold keeps other runs of this machine from writing a file at path until release is called. The error is that of
// durable.Hold. Nothing holds a place in an object store.
func Hold(path string, replace bool) (release func(), err error) {
	if objects.IsURL(path) {
		return func() {}, nil
	}
	if path, err = objects.Local(path); err != nil {
		return nil, err
	}
	return durable.Hold(path, replace)
}

// WriteFile puts at path, which may be a URL, what write writes. With replace it replaces a file that is there;
// otherwise its error wraps durable.ErrExists then. After an error, also that of a cancelled ctx, path is as it was
// before and nothing else is left; only where the store's answer to a complete upload got lost may path have the new
// content.
//
// On this machine the commit begins when write has returned; in a store it is the last moment of the upload.
func WriteFile(ctx context.Context, path string, replace bool, warn objects.Warn, write func(io.Writer) error) error {
	check := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return Vacant(ctx, path, replace)
	}
	bounded := func(w io.Writer) error {
		if err := write(w); err != nil {
			return err
		}
		return check() // another program may have written there meanwhile
	}
	if err := check(); err != nil {
		return err
	}
	if objects.IsURL(path) {
		return writeStored(ctx, path, warn, bounded)
	}
	path, err := objects.Local(path)
	if err != nil {
		return err
	}
	return durable.WriteFile(path, bounded)
}

// writeStored is WriteFile for a URL.
func writeStored(ctx context.Context, path string, warn objects.Warn, write func(io.Writer) error) error {
	place, err := objects.Parse(path)
	if err != nil {
		return err
	}
	scratch, err := durable.NewScratch("", "output")
	if err != nil {
		return err
	}
	defer scratch.Remove()
	file, err := durable.CreateWork(filepath.Join(scratch.Path(), "file"))
	if err != nil {
		return err
	}
	defer file.Close() // in case write panics
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	return objects.Upload(ctx, place, file.Name(), warn)
}
