// This file defines Output, the directory into which a stage writes its result.

package model

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/output"
)

// Output is a directory of results that is being written. Nothing is at its path until a result is saved into it; then the directory
// appears complete. Until then, other runs that want to write to the same path are refused. The caller must Abort it in the end.
type Output struct {
	ctx context.Context // once it is done, nothing more is written
	dir *durable.Dir
	// wrote, if not nil, is called with the number of rows of a table that were written.
	wrote func(rows int)
}

// Create begins a directory at path, which may be a URL of an object store. The error wraps ErrExists if path exists, and ErrLocked
// if another run is writing to it. run logs requests to stores that are retried; it may be nil.
func Create(ctx context.Context, path string, run *Run) (*Output, error) {
	dir, err := output.Create(ctx, path, func(object string, attempt int, pause time.Duration, err error) {
		if run != nil {
			run.log().Warn("a request to the store failed: trying again", "object", object, "attempt", attempt, "pause", pause, "error", err)
		}
	})
	if err != nil {
		return nil, err
	}
	return &Output{ctx: ctx, dir: dir}, nil
}

// ErrExists reports that the path of a new directory exists, and ErrLocked that another run is writing to it.
var (
	ErrExists = durable.ErrExists
	ErrLocked = durable.ErrLocked
)

// Scratch returns a folder for temporary files. Files that remain in it when a result is saved become part of the output. Abort
// removes the folder.
func (o *Output) Scratch() string { return o.dir.Path() }

// WriteFile writes a file of the directory beside those of the result, before the result is saved. Each name can be written once.
func (o *Output) WriteFile(name string, write func(w io.Writer) error) error {
	return o.dir.WriteFile(name, write)
}

// Abort removes everything. After a result was saved, it does nothing.
func (o *Output) Abort() { o.dir.Abort() }

// writeFile writes a file of the directory, until the context is done.
func (o *Output) writeFile(name string, write func(io.Writer) error) error {
	return o.dir.WriteFile(name, func(w io.Writer) error { return write(interruptible{o.ctx, w}) })
}

// interruptible is a writer that fails once its context is done.
type interruptible struct {
	ctx context.Context
	to  io.Writer
}

// Write implements io.Writer.
func (w interruptible) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// replaceable are the files that may be replaced in a complete model. The manifest does not list them.
var replaceable = map[string]bool{neighboursFile: true, neighbourCountsFile: true, recommendFile: true}

// GenerationFile and DriftFile are files that a store adds to its models. Manifests do not list them, so that a model is the same in
// a store and out of one.
const (
	GenerationFile = "generation.json"
	DriftFile      = "drift.parquet"
)

// unlisted reports whether the manifest leaves a file out.
func unlisted(name string) bool {
	return replaceable[name] || name == GenerationFile || name == DriftFile
}

// finish completes the manifest, writes it and run.json, and moves the directory to its path.
func (o *Output) finish(manifest *Manifest, run *Run) error {
	manifest.Layout, manifest.Program = layoutVersion, Version
	manifest.Outputs = nil
	for _, file := range o.dir.Files() {
		if unlisted(file.Name) {
			continue
		}
		manifest.Outputs = append(manifest.Outputs, OutputRecord{Name: file.Name, Size: file.Size, SHA256: file.SHA256})
	}
	if err := o.writeJSON(runFile, run.record()); err != nil {
		return err
	}
	if err := o.writeJSON(manifestFile, manifest); err != nil {
		return err
	}
	return o.dir.Commit()
}

func (o *Output) writeJSON(name string, value any) error {
	return o.writeFile(name, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	})
}

// save creates a directory at path and saves into it.
func save(ctx context.Context, path string, run *Run, into func(*Output) error) error {
	out, err := Create(ctx, path, run)
	if err != nil {
		return err
	}
	defer out.Abort()
	return into(out)
}

// saveTables writes the tables, as a stage of the run, and completes the directory.
func (o *Output) saveTables(tables []table, manifest *Manifest, run *Run) error {
	end := run.Stage("write")
	defer end()
	done, total := 0, 0
	for _, t := range tables {
		total += t.rows
	}
	run.progress("writing", 0, int64(total))
	o.wrote = func(rows int) {
		done += rows
		run.progress("writing", int64(done), int64(total))
	}
	for _, t := range tables {
		if err := t.write(o); err != nil {
			return err
		}
	}
	run.found("tables", len(tables))
	end()
	return o.finish(manifest, run)
}
