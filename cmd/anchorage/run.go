// This file runs a command line: it begins and ends logging, progress and profiles, and reports errors.

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/model"
)

// program is what commands share.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	logLevel       string
	logFormat      string
	quiet          bool
	progress       string
	workers        int
	json           bool
	top            int // items of each topic to print; 0 for the usual number
	profilePath    string

	log      *slog.Logger
	estimate *estimate // of the time that is left; nil if there is no plan
	profile  *profile
	bar      *bar

	skipped []corpus.Skipped // shards that the command left out
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, log: slog.New(slog.DiscardHandler)}
	root := p.root()
	root.SetArgs(verbFirst(root, args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	p.bar.close()
	if writing := p.profile.write(context.WithoutCancel(ctx), p.warn); err == nil && writing != nil {
		err = &runError{writing}
	}
	p.log.Debug("ended", "gc_percent", collectorPercent())
	switch {
	case err != nil:
		return p.report(command, args, err)
	case len(p.skipped) > 0:
		return exitSkipped
	}
	return exitDone
}

// runError marks the errors of a command that was started. Other errors are those of the command line.
type runError struct{ err error }

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

// started wraps a command's function so that its errors differ from those of the command line.
func started(fn func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := fn(cmd.Context(), args); err != nil {
			return &runError{err}
		}
		return nil
	}
}

// start begins logging, progress and the profile, as the flags say.
func (p *program) start() error {
	terminal := isTerminal(p.stderr)
	if err := oneOf("--progress", p.progress, "auto", "off"); err != nil {
		return err
	}
	if p.progress == "auto" && terminal && !p.quiet && p.logFormat != logJSON {
		p.bar = newBar(p.stderr)
	}
	memoryLimit{}.apply()
	if p.workers < 0 {
		return fmt.Errorf("--workers is %d: it cannot be negative", p.workers)
	}
	if err := p.startLog(); err != nil {
		return err
	}
	var err error
	if p.profile, err = startProfile(p.profilePath); err != nil {
		return err
	}
	p.log.Debug("started", "workers", kernel.Workers(p.workers), "instructions", kernel.Instructions(), "gc_percent", collectorPercent())
	return nil
}

// newRun begins the record of a run.
func (p *program) newRun() *model.Run {
	return &model.Run{Workers: p.workers, Log: p.log, Progress: p.progressed, Forecast: p.tellMemory, OwnsProcess: true,
		TunesCollector: tunesCollector(os.LookupEnv)}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
