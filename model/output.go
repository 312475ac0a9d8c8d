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
type Output struct{ dir *durable.Dir }

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
	return &Output{dir}, nil
}

// ErrExists reports that the path of a new directory exists, and ErrLocked that another run is writing to it.
var (
	ErrExists = durable.ErrExists
	ErrLocked = durable.ErrLocked
)

// Scratch returns a folder for temporary files. Files that remain in it when a result is saved become part of the output. Abort
// removes the folder.
func (o *Output) Scratch() string { return o.dir.Path() }

// Abort removes everything. After a result was saved, it does nothing.
func (o *Output) Abort() { o.dir.Abort() }

// replaceable are the files that may be replaced in a complete model. The manifest does not list them.
var replaceable = map[string]bool{neighboursFile: true, neighbourCountsFile: true, recommendFile: true}

// finish writes run.json and the manifest, and moves the directory to its path.
func (o *Output) finish(manifest Manifest, run *Run) error {
	manifest.Layout, manifest.Program = layoutVersion, Version
	manifest.Outputs = nil
	for _, file := range o.dir.Files() {
		if replaceable[file.Name] {
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
	return o.dir.WriteFile(name, func(w io.Writer) error {
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
func (o *Output) saveTables(tables []table, manifest Manifest, run *Run) error {
	end := run.Stage("write")
	defer end()
	for _, t := range tables {
		if err := t.write(o); err != nil {
			return err
		}
	}
	end()
	return o.finish(manifest, run)
}
