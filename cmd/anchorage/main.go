// Command anchorage learns topics, their anchor items and their correlations from documents or baskets whose vocabulary
// is too large for a co-occurrence matrix. See README.md, or run it with --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/internal/safetext"
	"anchorage/model"
	"anchorage/model/fit"
)

func main() {
	if reason := preflight(process.MemoryRoom()); reason != "" {
		os.Stderr.WriteString("anchorage: " + reason + "\n")
		os.Exit(exitResources)
	}
	process.StartCollector()
	// The handler stays to the end: a signal that comes after the run must not make its exit code that of a kill.
	ctx, _ := interruptible(context.Background())
	p := newProgram(os.Stdin, os.Stdout, os.Stderr)
	p.ownsProcess = true
	os.Exit(p.run(ctx, os.Args[1:]))
}

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, so that the run can clean up. That
// signal also removes the handler: a second one ends the program at once.
func interruptible(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it ignored
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop = signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// program is what commands share.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	logLevel       string
	logFormat      string
	quiet          bool
	helpAll        bool
	workers        int
	json           bool
	colours        bool     // topics have colours although stdout is no terminal, in tests
	replace        bool     // an output may take the place of an earlier one
	replaced       []string // what was at the places of outputs
	top            int      // items of each topic to print; 0 for the usual number
	noVerify       bool

	resume resumeFlags
	flags  *pflag.FlagSet // of the command that runs

	log  *slog.Logger
	bar  *bar
	pace *pace

	now  func() time.Time                             // the clock
	free func(folder string) (free int64, known bool) // how much room a disk has

	outcome outcome
	ranks   ranks

	ownsProcess bool // nothing else runs in this process, so its memory is that of the command

	held    []func()         // give back the generations of stores that the command reads
	skipped []corpus.Skipped // shards that the command left out
	saved   string           // the output, once all of it is complete
	source  string           // what it is made of: fit.Source
	nothing bool             // the command found nothing new to do
}

// newProgram returns the program on this machine.
func newProgram(stdin io.Reader, stdout, stderr io.Writer) *program {
	return &program{stdin: stdin, stdout: stdout, stderr: stderr, log: slog.New(slog.DiscardHandler), now: time.Now,
		free: process.FreeSpace}
}

// run runs a command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.root()
	root.AddCommand(&cobra.Command{Use: "version", Short: "Print the version", Hidden: true, Args: cobra.NoArgs,
		PersistentPreRun: func(*cobra.Command, []string) {}, // it reads no flags, and needs no other ranks
		Run:              func(*cobra.Command, []string) { fmt.Fprint(p.stdout, root.VersionTemplate()) }})
	return p.execute(ctx, root, args)
}

// execute runs a command line of a command and returns the exit code. A panic is a bug of the program: what it was
// doing is undone on the way, as after an error, and the code is exitFailed. Panics of other goroutines, and what the
// runtime of Go gives up at, end the process with code 2.
func (p *program) execute(ctx context.Context, root *cobra.Command, args []string) (code int) {
	defer func() {
		if bug := recover(); bug != nil {
			p.bar.close()
			printf(p.stderr, "anchorage: internal error: %s\nThis is a bug: please report it with the lines below.\n",
				fmt.Sprint(bug))
			io.WriteString(p.stderr, safetext.Lines(string(debug.Stack())))
			code = exitFailed
			p.publish(ctx, root, args, code)
			p.ranks.job.End(fmt.Errorf("internal error: %v", bug))
			p.ranks.job.Close(code)
		}
	}()
	defer func() {
		for _, release := range p.held {
			release()
		}
	}()
	p.outcome.Started = p.now()
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		completeFlags(root)
	}
	shown, all := allFlags(args)
	p.helpAll = all
	root.SetArgs(verbFirst(root, shown))
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	command, err := root.ExecuteContextC(ctx)
	if full := new(process.MemoryError); err != nil && errors.As(context.Cause(command.Context()), &full) {
		err = &runError{full} // not by a signal: the guard of memory ended it
	}
	p.bar.close()
	if err != nil && p.saved != "" && !errors.As(err, new(*unreportedError)) && !errors.As(err, new(*model.ShortError)) {
		err = &runError{&unreportedError{p.saved, err}}
	}
	if err == nil || p.saved != "" {
		for _, path := range p.replaced {
			p.log.Info("the new output took the place of an earlier one", "path", path)
		}
	}
	for _, left := range durable.Left() {
		p.log.Warn("a temporary file could not be removed; nothing needs it", "error", left)
	}
	p.log.Debug("ended", "gc_percent", process.CollectorPercent())
	if err != nil && !errors.As(err, new(*runError)) {
		p.joinToRefuse(ctx, command)
	}
	err, speak := p.endRanks(err)
	code = exitDone
	switch {
	case err != nil && !speak:
		code = reported(err)
	case err != nil:
		code = p.report(command, args, err)
	case len(p.skipped) > 0:
		code = exitSkipped
	case p.nothing:
		code = exitNothing
	}
	p.publish(ctx, command, args, code)
	p.ranks.job.Close(code)
	return code
}

// runError marks the errors of a command that was started. Other errors are those of the command line.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

// start begins logging and progress, as the flags say.
func (p *program) start() error {
	terminal := isTerminal(p.stderr)
	if terminal && !p.quiet && p.logLevel == "auto" && p.logFormat != logJSON && !p.ranks.quiet() {
		p.bar = &bar{out: p.stderr}
	}
	memoryLimit(0).apply()
	if err := p.startLog(); err != nil {
		return err
	}
	if p.bar == nil && !p.ranks.quiet() {
		p.pace = &pace{log: p.log, now: p.now}
	}
	p.log.Debug("started", "workers", kernel.Workers(p.workers), "instructions", kernel.Instructions(), "gc_percent",
		process.CollectorPercent())
	return nil
}

// ownsProcess is false while scripts of tests run commands in the process of the tests.
var ownsProcess = true

// newRun begins the record of a run.
func (p *program) newRun() *fit.Run {
	p.outcome.Fit = &fit.Run{Workers: p.workers, Log: p.log, Progress: p.advance, Source: p.source,
		OwnsProcess: ownsProcess, TunesCollector: ownsProcess && process.TunesCollector()}
	return p.outcome.Fit
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
