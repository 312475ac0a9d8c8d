// This file writes the outputs of commands, to this machine or to a store.

package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"anchorage/internal/output"
	"anchorage/model"
)

// warn logs a request to a store that will be tried again.
func (p *program) warn(path string, attempt int, pause time.Duration, err error) {
	p.log.Warn("the store did not answer as it should: trying again", "object", path, "attempt", attempt, "pause", pause,
		"error", err)
}

// writeFile writes a file of results at path, which may be a URL.
func (p *program) writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return output.WriteFile(ctx, path, p.warn, write)
}

// writing runs fn with a run and the directory that -o names. The directory appears only if fn saves a result in it; otherwise nothing
// is left.
func (p *program) writing(path *string, fn func(ctx context.Context, run *model.Run, out *model.Output, args []string) error) func(*cobra.Command, []string) error {
	return started(func(ctx context.Context, args []string) error {
		if err := needOutput(*path); err != nil {
			return err
		}
		run := p.newRun()
		out, err := model.Create(ctx, *path, run)
		if err != nil {
			return err
		}
		defer out.Abort()
		return fn(ctx, run, out, args)
	})
}
