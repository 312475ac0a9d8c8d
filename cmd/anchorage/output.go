// This file writes the outputs of commands, to this machine or to a store.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/model"
)

// outputFlag adds -o, which every command needs that writes results.
func outputFlag(flags *pflag.FlagSet, output *string, what string) {
	flags.StringVarP(output, "output", "o", "", what+" (required)")
}

// needOutput checks that -o was given, and that its folder exists.
func needOutput(output string) error {
	if output == "" {
		return &usageError{errors.New("the output is missing: give it with -o")}
	}
	if objects.IsURL(output) {
		return nil // a bucket has no folders
	}
	output, err := objects.Local(output)
	if err != nil {
		return &usageError{err}
	}
	folder := filepath.Dir(output)
	if _, err := os.Stat(folder); err != nil {
		return &usageError{fmt.Errorf("-o %s: there is no folder %s: make it first", output, folder)}
	}
	return nil
}

// warn logs that a request to a store failed and will be repeated.
func (p *program) warn(path string, attempt int, pause time.Duration, err error) {
	p.log.Warn("a request to the store failed: trying again", "object", path, "attempt", attempt, "pause", pause, "error", err)
}

// writeFile writes a file of results at path, which may be a URL.
func (p *program) writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return output.WriteFile(ctx, path, p.warn, write)
}

// saved is the result of a stage. SaveTo saves it in a directory, which then appears.
type saved interface {
	SaveTo(*model.Output) error
}

// stage returns the function of a command that computes a result and writes it to the directory that -o names. compute computes the
// result; then it is saved, and finish prints it. The directory appears only if all of it was saved; otherwise nothing is left.
func stage[R saved](p *program, path *string, compute func(ctx context.Context, run *model.Run, out *model.Output, args []string) (R, error),
	finish func(result R, path string) error) func(*cobra.Command, []string) error {
	return started(func(ctx context.Context, args []string) (err error) {
		if err := needOutput(*path); err != nil {
			return err
		}
		if err := p.checkTop(); err != nil {
			return err
		}
		ctx, stop, err := p.resume.limited(ctx)
		if err != nil {
			return err
		}
		defer stop()
		defer func() { err = p.resume.ended(ctx, err) }()
		if p.resume.keeps() && p.flags.Lookup("checkpoint-interval") != nil {
			if _, err := p.resume.path(*path, folderName); err != nil {
				return err
			}
		}
		run := p.newRun()
		out, err := model.Create(ctx, *path, run)
		if err != nil {
			if errors.Is(err, model.ErrExists) {
				p.resume.clear(p, *path)
			}
			return err
		}
		defer out.Abort()
		result, err := computeAndSave(ctx, run, out, args, compute)
		if err != nil {
			return errors.Join(run.Checkpoint.Interrupted(err), run.Checkpoint.Close())
		}
		p.resume.saved(p, run)
		return finish(result, *path)
	})
}

// computeAndSave computes a result and puts it at its place.
func computeAndSave[R saved](ctx context.Context, run *model.Run, out *model.Output, args []string,
	compute func(ctx context.Context, run *model.Run, out *model.Output, args []string) (R, error)) (result R, err error) {
	if result, err = compute(ctx, run, out, args); err != nil {
		return result, err
	}
	if err := run.Checkpoint.Saving(); err != nil {
		return result, err
	}
	return result, result.SaveTo(out)
}
