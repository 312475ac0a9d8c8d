// This file writes the outputs of commands, to this machine or to a store.

package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"anchorage/internal/durable"
	"anchorage/internal/output"
)

// warn logs a request to a store that will be tried again.
func (p *program) warn(path string, attempt int, pause time.Duration, err error) {
	p.log.Warn("the store did not answer as it should: trying again", "object", path, "attempt", attempt, "pause", pause,
		"error", err)
}

// create begins a directory of results at path, which may be a URL.
func (p *program) create(ctx context.Context, path string) (*durable.Dir, error) {
	return output.Create(ctx, path, p.warn)
}

// writeFile writes a file of results at path, which may be a URL.
func (p *program) writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return output.WriteFile(ctx, path, p.warn, write)
}

// writing runs fn with the directory that -o names. The directory appears only if fn commits it; otherwise nothing is
// left.
func (p *program) writing(path *string, fn func(ctx context.Context, dir *durable.Dir, args []string) error) func(*cobra.Command, []string) error {
	return started(func(ctx context.Context, args []string) error {
		if err := needOutput(*path); err != nil {
			return err
		}
		dir, err := p.create(ctx, *path)
		if err != nil {
			return err
		}
		defer dir.Abort()
		return fn(ctx, dir, args)
	})
}
