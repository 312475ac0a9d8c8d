// This file writes the outputs of commands, to this machine or to a store.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/fit"
)

// outputRow is -o, which every command needs that writes results.
func outputRow(output *string, what string) row {
	return row{name: "output", short: "o", group: outputGroup, effect: none, to: (*outputPath)(output).set, values: anyFolder.named("PATH"), help: what + " (required)"}
}

// outputPath is the value of -o: a path without slashes at its end, which name the same, or a URL as it is.
type outputPath string

func (o *outputPath) set(text string) error {
	*o = outputPath(text)
	if text != "" && !objects.IsURL(text) && os.IsPathSeparator(text[len(text)-1]) {
		*o = outputPath(filepath.Clean(text))
	}
	return nil
}

// replaceRow is --replace of a command that writes a directory or a file which must not exist otherwise.
func (p *program) replaceRow() row {
	return row{name: "replace", group: outputGroup, effect: none, to: &p.replace, values: boolean, help: "let the new output take the place of an earlier one, at the end"}
}

// apart returns an error if an output would be read as a shard of args the next time, because it lies in a folder of shards.
func apart(output string, args []string) error {
	if output == "" {
		return nil
	}
	place := placeOf(output)
	for _, arg := range args {
		folder := placeOf(arg)
		inside := strings.HasPrefix(place, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
		if objects.IsURL(arg) {
			inside = strings.HasPrefix(place, strings.TrimSuffix(folder, "/")+"/")
		}
		if matched, err := filepath.Match(folder, place); inside && !hiddenBelow(place[len(folder):]) || err == nil && matched && folder != place && !hiddenBelow(filepath.Base(place)) {
			return &usageError{fmt.Errorf("-o %s lies among the shards of %s, and would be read as one of them the next time: choose another folder, or a name that begins with a dot", output, arg)}
		}
	}
	return nil
}

// placeOf returns where a path leads, as an absolute path without links, as far as it exists; a URL as it is.
func placeOf(path string) string {
	if objects.IsURL(path) {
		return path
	}
	if local, err := objects.Local(path); err == nil {
		path = local
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(real, filepath.Base(path))
	}
	return path
}

// hiddenBelow reports whether a name of a path is one that is passed over among shards.
func hiddenBelow(path string) bool {
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return true
		}
	}
	return false
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

// needFile is needOutput for a command that writes one file, which may be there already but is no folder, no device, and no file of a model:
// a model with another file in its place counts as damaged.
func needFile(output string) error {
	if err := needOutput(output); err != nil || objects.IsURL(output) {
		return err
	}
	path, err := objects.Local(output)
	if err != nil {
		return &usageError{err}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &usageError{fmt.Errorf("-o %s is no file: choose another name", output)}
	}
	var manifest struct{ Outputs []model.OutputRecord }
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "manifest.json")); err != nil || json.Unmarshal(text, &manifest) != nil {
		return nil // no model
	}
	if slices.ContainsFunc(manifest.Outputs, func(r model.OutputRecord) bool { return r.Name == filepath.Base(path) }) {
		return &usageError{fmt.Errorf("-o %s is a part of the model in %s, which would count as damaged: choose another name", output, filepath.Dir(path))}
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

// wrote takes the error of writing the last output of a command. From then on every error is an *unreportedError, also err itself if
// only the sync of the folder failed.
func (p *program) wrote(path string, err error) error {
	var unsynced *durable.UnsyncedError
	if local, wrong := objects.Local(path); err != nil && (wrong != nil || !errors.As(err, &unsynced) || unsynced.Path != filepath.Clean(local)) {
		return err
	}
	p.saved = path
	// Without this, a reader of stdout that has gone ends the program before it can say that the output is complete.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err != nil {
		return &unreportedError{path, err}
	}
	return nil
}

// saved is the result of a stage. SaveTo saves it in a directory, which then appears.
type saved interface {
	SaveTo(*model.Output) error
}

// stage returns the function of a command that computes a result and writes it to the directory that -o names. compute computes the
// result; then it is saved, and finish prints it. The directory appears only if all of it was saved; otherwise nothing is left.
func stage[R saved](p *program, path *string, compute func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (R, error),
	finish func(result R, path string) error) func(*cobra.Command, []string) error {
	return started(func(ctx context.Context, args []string) (err error) {
		if err := needOutput(*path); err != nil {
			return err
		}
		ctx, stop := p.resume.limited(ctx)
		defer stop()
		defer func() { err = p.resume.ended(ctx, err) }()
		if p.resume.keeps() {
			if _, err := p.resume.path(*path); err != nil {
				return err
			}
		}
		run := p.newRun()
		interrupted := func(err error) error {
			return errors.Join(run.Checkpoint.Interrupted(p.resume.ended(ctx, err)), run.Checkpoint.Close())
		}
		create := func() (*model.Output, error) { return run.Create(ctx, *path) }
		if p.replace {
			create = func() (*model.Output, error) { return model.Replace(ctx, *path) }
		}
		out, err := create()
		if err != nil {
			if errors.Is(err, model.ErrExists) {
				p.resume.clear(p, *path, nil)
			}
			return err
		}
		defer out.Abort()
		result, err := compute(ctx, run, out, args)
		if err == nil {
			err = run.Checkpoint.Saving("")
		}
		if err != nil {
			return interrupted(err)
		}
		p.outcome.made(result)
		late := p.wrote(*path, result.SaveTo(out))
		if p.saved == "" {
			return interrupted(late)
		}
		p.resume.saved(p, run)
		if p.ranks.quiet() {
			return late
		}
		return errors.Join(late, finish(result, *path))
	})
}
