// This file writes the outputs of commands, to this machine or to a store.

package main

import (
	"cmp"
	"context"
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

	"github.com/spf13/pflag"

	"anchorage/internal/durable"
	"anchorage/internal/metrics"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard/tablefile"
)

// outputRow is -o, which every command needs that writes results; guard refuses to run without it.
func outputRow(output *string, what string) row {
	r := outputGroup.flag("output", cleaned(output), newFolder, what+" (required)").letter("o").does(none)
	r.required = true
	return r
}

// cleaned sets -o: to a path without slashes at its end, which name the same, or to a URL as it is.
func cleaned(output *string) func(text string) error {
	return func(text string) error { *output = withoutSlash(text); return nil }
}

func withoutSlash(path string) string {
	if path != "" && !objects.IsURL(path) && os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Clean(path)
	}
	return path
}

// replaceRow is --replace of a command that writes a directory or a file which must not exist otherwise.
func (p *program) replaceRow() row {
	return outputGroup.flag("replace", &p.replace, boolean,
		"let the new output take the place of an earlier one, at the end").does(none)
}

// outputFileRow is outputRow for a result of one file.
func outputFileRow(output *string, what string) row {
	r := outputRow(output, what)
	r.values.role = writtenFile
	return r
}

// outputTableRow is outputFileRow for a table without lists, which may be CSV too.
func outputTableRow(output *string, what string) row {
	r := outputFileRow(output, what+", Parquet, or with .csv CSV")
	r.values.csv = true
	return r
}

// guard refuses a command without the output that it needs, and outputs that would destroy something, before anything
// is read: those at, above or below what the command reads, those within a store or a model, and files in place of
// others. A directory in place of another is refused where it begins.
func (p *program) guard(ctx context.Context, flags *pflag.FlagSet, args []string) (err error) {
	inputs, outputs := slices.Clone(args), []*value{}
	dry := flags.Lookup("dry-run") // a command that only says what it would do needs no output
	eachRow(flags, func(v *value, _ *pflag.Flag) {
		switch {
		case v.String() == "" && v.required && (dry == nil || dry.Value.String() != "true"):
			err = cmp.Or(err, error(&usageError{errors.New("the output is missing: give it with -o")}))
		case v.String() == "":
		case v.values.role == worksIn:
			err = cmp.Or(err, needFolder(v.spelled(), v.String()))
		case v.values.role != readsPath:
			outputs = append(outputs, v)
		case v.values.path && v.values.kind == commas:
			names, _ := readCommas(v.String())
			inputs = append(inputs, names...)
		case v.values.path:
			inputs = append(inputs, v.String())
		}
	})
	for _, v := range outputs {
		path := v.String()
		if wrong := needsOther(v); err == nil && wrong != nil {
			err = &usageError{wrong}
		}
		if there, _ := objects.Exists(ctx, path); there && p.replace && v.values.role != keptFile {
			p.replaced = append(p.replaced, path)
		}
		if err == nil {
			err = output.CheckPlace(ctx, path, inputs)
		}
		if err == nil && v.values.role == writtenFile {
			err = output.Vacant(ctx, path, p.replace)
		}
		if err == nil && v.values.role == keptFile {
			err = output.Kept(ctx, path, metrics.Begin)
		}
		if v.values.role == writtenFolder {
			path = withoutSlash(path)
		}
		if err == nil {
			err = folderOf(v.spelled(), path)
		}
		if wrong := new(output.PlaceError); errors.As(err, &wrong) {
			return &usageError{fmt.Errorf("%s %w: choose another place", v.spelled(), err)}
		}
		if err != nil && !errors.As(err, new(*usageError)) {
			return &runError{fmt.Errorf("%s %w", v.spelled(), err)}
		}
	}
	return err
}

// needFolder checks that there is a folder that a flag names for working files.
func needFolder(flag, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return &usageError{fmt.Errorf("%s %s: there is no such folder: make it first", flag, path)}
	}
	return nil
}

// warn logs that a request to a store failed and will be repeated.
func (p *program) warn(path string, attempt int, pause time.Duration, err error) {
	p.log.Warn("a request to the store failed: trying again", "object", path, "attempt", attempt, "pause",
		pause, "error", err)
}

// writeFile writes a file of results at path, which may be a URL. Only --replace lets it take the place of another.
func (p *program) writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return output.WriteFile(ctx, path, p.replace, p.warn, func(w io.Writer) error {
		if spreadsheet(path) == ".csv" { // guard has refused it unless the file is a table
			w = tablefile.CSV{Writer: w}
		}
		return write(w)
	})
}

// spreadsheet returns the ending of a name if it is one of a spreadsheet's tables, "" of others.
func spreadsheet(path string) string {
	ending := strings.ToLower(filepath.Ext(path))
	if slices.Contains([]string{".csv", ".tsv", ".xls", ".xlsx"}, ending) {
		return ending
	}
	return ""
}

// needsOther returns an error if a row writes something else than the name of the output says.
func needsOther(v *value) error {
	ending := spreadsheet(v.String())
	if ending == "" || ending == ".csv" && v.values.csv {
		return nil
	}
	return fmt.Errorf("%s %s: this command does not write %s: leave the ending out; tables for spreadsheets come from "+
		"export --to excel, items neighbours -o FILE.csv and trends -o FILE.csv", v.spelled(), v.String(), ending)
}

// wrote takes the error of writing the last output of a command. From then on every error is an *unreportedError, also
// err itself if only the sync of the folder failed.
func (p *program) wrote(path string, err error) error {
	var unsynced *durable.UnsyncedError
	if local, wrong := objects.Local(path); err != nil && (wrong != nil || !errors.As(err, &unsynced) ||
		unsynced.Path != filepath.Clean(local)) {
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

// finish ends a command whose last output is at a path, unless err says that it is not: then print prints the result.
func (p *program) finish(path string, err error, print func() error) error {
	late := p.wrote(path, err)
	if p.saved == "" {
		return late
	}
	return errors.Join(late, print())
}

// saved is the result of a stage. SaveTo saves it in a directory, which then appears.
type saved interface {
	SaveTo(*model.Output) error
}

// work is what a stage works with: its arguments, the record of the run, and the output that has begun at a path.
type work struct {
	args []string
	run  *fit.Run
	path string
	out  *model.Output
}

// stage returns what a command does that computes a result and writes it to the directory that -o names, of the given
// kind. compute computes the result; then it is saved, and finish prints it. The directory appears only if all of it
// was saved; otherwise nothing is left.
func stage[R saved](p *program, kind string, path *string, compute func(context.Context, work) (R, error),
	finish func(result R, path string) error) action {
	return func(ctx context.Context, args []string) (err error) {
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
			create = func() (*model.Output, error) { return model.Replace(ctx, *path, kind) }
		}
		out, err := create()
		if err != nil {
			if errors.Is(err, model.ErrExists) {
				p.resume.clear(p, *path, nil)
			}
			return err
		}
		defer out.Abort()
		result, err := compute(ctx, work{args, run, *path, out})
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
	}
}
