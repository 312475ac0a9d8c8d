// This file holds the flags of runs that can be resumed, and opens their checkpoints.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"anchorage/internal/checkpoint"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/fit"
)

// resumeFlags say how a run is resumed, and how long it may take.
type resumeFlags struct {
	mode    string
	restart bool
	folder  string
	limit   time.Duration
	every   time.Duration

	started time.Time
}

// rows are the flags of a command that can be resumed.
func (f *resumeFlags) rows() []row {
	return []row{
		resumeGroup.flag("resume", &f.mode, choice(word{"yes", "continue from the checkpoint", nil}, word{"auto",
			"continue from it if there is one, else begin", nil}, word{"no", "begin, unless there is one", nil}),
			"continue an unfinished run from its checkpoint: =yes, =auto or =no").by("no").does(none).without("yes"),
		resumeGroup.flag("restart", &f.restart, boolean, "remove the checkpoint, and begin again").does(none),
		resumeGroup.flag("time-limit", &f.limit, durations(0, year),
			"end after this time, such as 6h, with code 13 and a checkpoint").does(none),
		resumeGroup.more("checkpoint-dir", &f.folder, workFolder, "folder of this machine for the checkpoint").does(none),
		resumeGroup.more("checkpoint-interval", &f.every, durations(0, year),
			"write a checkpoint at least this often, where the run can; 0: always").
			by(checkpoint.DefaultEvery.String()).does(none),
	}
}

// timeLimitError reports that --time-limit has ended a run.
type timeLimitError struct{ limit time.Duration }

func (e *timeLimitError) Error() string { return fmt.Sprintf("the time limit of %v is over", e.limit) }

// limited returns a context that ends at the time limit. The caller must call stop.
func (f *resumeFlags) limited(parent context.Context) (ctx context.Context, stop func()) {
	f.started = time.Now()
	if f.limit == 0 {
		return parent, func() {}
	}
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(f.limit, func() { cancel(&timeLimitError{f.limit}) })
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// ended adds to the error of an interrupt that the time limit was its cause.
func (f *resumeFlags) ended(ctx context.Context, err error) error {
	limit := new(timeLimitError)
	if !errors.As(context.Cause(ctx), &limit) {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return errors.Join(err, limit)
	case errors.As(err, &limit): // by an exchange of ranks, which ends with the cause
		return errors.Join(context.Canceled, err)
	}
	return err
}

// path returns the path of the checkpoint of an output: .NAME.checkpoint in the folder or, without one, beside the
// output.
func (f *resumeFlags) path(output string) (string, error) {
	name := filepath.Base(output)
	if objects.IsURL(output) {
		if f.folder == "" {
			return "", &usageError{errors.New("a checkpoint cannot lie in an object store: give a folder for it with " +
				"--checkpoint-dir")}
		}
		text, _, _ := strings.Cut(output, "?")
		name = path.Base(text)
	}
	return filepath.Join(cmp.Or(f.folder, filepath.Dir(filepath.Clean(output))), "."+name+".checkpoint"), nil
}

// keeps reports whether the run writes a checkpoint.
func (f *resumeFlags) keeps() bool {
	return f.mode != string(checkpoint.No) || f.restart || f.limit > 0
}

// check finds a value that was given after a blank: --resume takes it for the name of a shard, since it needs none.
func (f *resumeFlags) check(args []string) error {
	if f.restart && f.mode != string(checkpoint.No) {
		return &usageError{errors.New("--resume continues from the checkpoint, and --restart removes it: give one of them")}
	}
	for _, mode := range checkpoint.Modes {
		if f.mode == string(checkpoint.Yes) && slices.Contains(args, string(mode)) {
			if _, err := os.Lstat(string(mode)); err != nil {
				return &usageError{fmt.Errorf("--resume takes its value after an equals sign: --resume=%s", mode)}
			}
		}
	}
	return nil
}

// open opens the checkpoint of a run, if the flags ask for one; otherwise it refuses to begin over one.
func (f *resumeFlags) open(ctx context.Context, p *program, run *fit.Run, output string, args []string) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	path, err := f.path(output)
	if err != nil {
		if f.keeps() {
			return err
		}
		return nil // nor can there be one
	}
	if !f.keeps() {
		if found, err := checkpoint.Exists(path); err != nil || !found {
			return err
		}
		return fit.Unfinished(path)
	}
	if slices.Contains(args, "-") {
		return &usageError{errors.New("a run over standard input cannot be resumed: save it to a file")}
	}
	options := fit.CheckpointOptions{Resume: f.mode, Restart: f.restart, Every: f.every, Log: p.log}
	if f.every == 0 {
		options.Every = -1
	}
	if f.limit > 0 {
		options.Until = f.started.Add(f.limit)
	}
	if run.Checkpoint, err = fit.OpenCheckpoint(ctx, path, options); err != nil {
		return err
	}
	run.Checkpoint.Know("the program", model.Version+" with "+fit.Instructions())
	eachRow(p.flags, func(v *value, _ *pflag.Flag) {
		if v.effect == learns || v.effect == reads || v.effect == once {
			run.Checkpoint.Know(v.spelled(), v.String())
		}
	})
	return nil
}

// again begins a run over a checkpoint that is of no use.
func (f *resumeFlags) again(ctx context.Context, p *program, output string) (*fit.Run, error) {
	run, restarted := p.newRun(), *f
	restarted.mode, restarted.restart = string(checkpoint.No), true
	return run, restarted.open(ctx, p, run, output, nil)
}

// saved removes the checkpoint of a run whose result is at its place. The result counts even if that fails.
func (f *resumeFlags) saved(p *program, run *fit.Run) {
	if err := run.Checkpoint.Remove(); err != nil {
		p.log.Warn("the checkpoint of the finished run cannot be removed", "folder", run.Checkpoint.Path(), "error", err)
	}
}

// clear removes the checkpoint of a run that was killed after its result was at its place, as made reports by its name;
// nil says that it is.
func (f *resumeFlags) clear(p *program, output string, made func(result string) bool) {
	if p.flags.Lookup("resume") == nil {
		return
	}
	path, err := f.path(output)
	if err != nil {
		return
	}
	if err := checkpoint.Clear(path, made); err != nil {
		p.log.Warn("the checkpoint of a finished run cannot be removed", "folder", path, "error", err)
	}
}
