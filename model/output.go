// This file defines Output, the directory into which a stage writes its result.

package model

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"anchorage/internal/collective"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/sealed"
)

// Output is a directory of results that is being written. Nothing is at its path until a result is saved into it; then
// the directory appears complete. Until then, other runs that want to write to the same path are refused. The caller
// must Abort it in the end.
type Output struct {
	ctx    context.Context  // once it is done, nothing more is written
	ranks  *collective.Comm // that save together; nil for one process
	dir    *durable.Dir     // nil on other ranks than the first, which write nothing themselves
	own    *durable.Scratch // of such a rank; nil until it is asked for
	within *Output          // that it is nested in, whose folder of working files it uses
	near   string           // the folder of the output, beside which it lies if this machine has that folder
	// unless nil, is called with the number of rows of a table that were written; on one rank only
	wrote func(rows int)
}

// Create begins a directory at path, which may be a URL of an object store. The error wraps ErrExists if path exists,
// and ErrLocked if another run is writing to it. log receives requests to stores that are retried; it may be nil.
//
// Of several ranks all must call Create, and save together. The directory is on the machine of the first, and all have
// its error if that wraps ErrExists or ErrLocked.
func Create(ctx context.Context, path string, log *slog.Logger) (*Output, error) {
	return first(ctx, path, func() (*durable.Dir, error) {
		return output.Begin(ctx, path, "", false, func(object string, attempt int, pause time.Duration, err error) {
			if log != nil {
				log.Warn("a request to the store failed: trying again", "object", object, "attempt", attempt, "pause",
					pause, "error", err)
			}
		})
	})
}

// Replace is Create for a path where a directory of results of a kind, such as KindModel, may be. It stays until a
// result is saved; then the new directory takes its place in one step. The error wraps ErrNotReplaceable if that cannot
// be done, as in object stores, or if something else is at path: another kind of directory, or one that holds a file
// which its manifest does not list.
func Replace(ctx context.Context, path, kind string) (*Output, error) {
	return first(ctx, path, func() (*durable.Dir, error) { return output.Begin(ctx, path, kind, true, nil) })
}

// first begins a directory on the first rank. The others get its error.
func first(ctx context.Context, path string, begin func() (*durable.Dir, error)) (*Output, error) {
	c := collective.From(ctx)
	var dir *durable.Dir
	var err error
	if c.First() {
		dir, err = begin()
	}
	if err := collective.ShareError(ctx, c, err, ErrExists, ErrLocked, ErrNotReplaceable); err != nil {
		if dir != nil {
			dir.Abort()
		}
		return nil, err
	}
	o := &Output{ctx: ctx, ranks: c, dir: dir}
	if local, err := objects.Local(path); err == nil && dir == nil {
		if info, err := os.Stat(filepath.Dir(local)); err == nil && info.IsDir() {
			o.near = filepath.Dir(local)
		}
	}
	return o, nil
}

// ErrExists reports that the path of a new directory exists, and ErrLocked that another run is writing to it.
var (
	ErrExists = durable.ErrExists
	ErrLocked = durable.ErrLocked
	// ErrNotReplaceable reports that what is at a path cannot be replaced.
	ErrNotReplaceable = durable.ErrNotReplaceable
)

// ErrUnsynced reports that a result is complete at its path, but may not outlast a crash of the machine.
var ErrUnsynced = durable.ErrUnsynced

// Scratch returns a folder for temporary files, beside the output. They never become part of it. The folder is removed
// when a result was saved, or by Abort; if that fails, there is a warning, and the next run in the same place removes
// it.
func (o *Output) Scratch() (string, error) {
	if o.within != nil {
		return o.within.Scratch()
	}
	if o.dir != nil {
		return o.dir.Scratch()
	}
	if o.own == nil {
		var err error
		if o.own, err = durable.NewScratch(o.near, "rank"); err != nil {
			return "", err
		}
	}
	return o.own.Path(), nil
}

// WriteFile writes a file of the directory beside those of the result, before the result is saved and until the context
// is done. Each name can be written once.
func (o *Output) WriteFile(name string, write func(w io.Writer) error) error {
	if o.dir == nil {
		return nil
	}
	return o.dir.WriteFile(name, func(w io.Writer) error { return write(durable.WriteUntil(o.ctx, w)) })
}

// WriteJSON is WriteFile for an object of JSON, which gets a checksum.
func (o *Output) WriteJSON(name string, object any) error {
	return o.WriteFile(name, func(w io.Writer) error { return sealed.Write(w, object) })
}

// Files returns the files that were written so far, as a manifest lists them.
func (o *Output) Files() []OutputRecord {
	if o.dir == nil {
		return nil
	}
	var files []OutputRecord
	for _, file := range o.dir.Files() {
		files = append(files, OutputRecord(file))
	}
	return files
}

// Commit completes the directory, which appears at its path. Results of this package commit when they are saved; Commit
// is for directories of other kinds, which have written their own manifest.
func (o *Output) Commit() error {
	if o.dir == nil {
		o.own.Remove()
		return nil
	}
	return o.dir.Commit()
}

// Abort removes everything. After a result was saved, it does nothing.
func (o *Output) Abort() {
	if o.dir == nil {
		o.own.Remove()
		return
	}
	o.dir.Abort()
}

// replaceable are the files that may be replaced in a complete model. The manifest does not list them.
var replaceable = map[string]bool{neighboursFile: true, neighbourCountsFile: true, recommendFile: true}

// Saving says how a result is written.
type Saving struct {
	Progress func(done, total int64) // is called with rows that were written; may be nil
	// Written is called when the tables are written, on every rank, with their number. It returns the content of run.json,
	// which is not written without it.
	Written func(ctx context.Context, tables int) (record any, err error)
}

// Context returns the context of the output.
func (o *Output) Context() context.Context { return o.ctx }

// finish completes the manifest, writes it and run.json, and moves the directory to its path.
//
// Of several ranks the first does so; the others return when it has, or when they have lost it.
func (o *Output) finish(manifest *Manifest, record any) error {
	if o.dir != nil {
		if err := o.complete(manifest, record); err != nil {
			return err
		}
	}
	if o.ranks.Size() == 1 {
		return nil
	}
	if err := o.ranks.Barrier(o.ctx); err != nil && o.dir == nil {
		return err
	}
	if o.dir == nil {
		o.own.Remove()
	}
	return nil
}

// complete is finish on the rank that writes.
func (o *Output) complete(manifest *Manifest, record any) error {
	manifest.Layout, manifest.Program = layoutVersion, Version
	manifest.Outputs, manifest.Beside = nil, nil
	if record != nil {
		if err := o.WriteJSON(runFile, record); err != nil {
			return err
		}
	}
	for _, file := range o.Files() {
		if replaceable[file.Name] || file.Name == runFile {
			manifest.Beside = append(manifest.Beside, file.Name)
		} else {
			manifest.Outputs = append(manifest.Outputs, file)
		}
	}
	if err := o.WriteJSON(ManifestFile, manifest); err != nil {
		return err
	}
	if err := o.dir.Commit(); err != nil {
		return err
	}
	o.dir.RemoveScratch()
	return nil
}

// tablesAtOnce is how many tables one process writes at a time: few of a directory are large.
const tablesAtOnce = 2

// saveTables writes the tables and completes the directory.
func (o *Output) saveTables(tables []table, manifest *Manifest, how Saving) error {
	done, total, mu := 0, 0, sync.Mutex{}
	for _, t := range tables {
		total += t.rows
	}
	o.wrote = func(rows int) {
		mu.Lock()
		defer mu.Unlock()
		done += rows
		if how.Progress != nil {
			how.Progress(int64(done), int64(total))
		}
	}
	o.wrote(0)
	writers := tablesAtOnce
	if o.ranks.Size() > 1 { // which send each other rows, in one order
		writers = 1
	}
	// A table ends with the context itself, by the cause of its end where another rank was lost.
	err := kernel.Parallel(context.WithoutCancel(o.ctx), writers, len(tables),
		func(at int) error { return tables[at].write(o) })
	if err != nil {
		return err
	}
	var record any
	if how.Written != nil {
		var err error
		if record, err = how.Written(o.ctx, len(tables)); err != nil {
			return err
		}
	}
	return o.finish(manifest, record)
}

// Nested begins a directory in a folder of the output, which is complete once a result was saved into it, and comes to
// its place with the output.
func (o *Output) Nested(name string) (*Output, error) {
	path := filepath.Join(o.dir.Path(), filepath.FromSlash(name))
	if err := durable.MakeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	dir, err := durable.Create(path)
	if err != nil {
		return nil, err
	}
	return &Output{ctx: o.ctx, dir: dir, within: o}, nil
}
