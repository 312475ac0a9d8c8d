// Command bench measures: the papers' tables and figures, recovery of a known truth, topics against those of other
// methods, variational inference, how a fit scales, and the speed of kernels and of reading. `go run ./bench --help`
// lists the parts; results/README.md says what has been measured.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal lets the run clean up; a second one finds no handler and ends it at once.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit codes, which are those of anchorage.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 10
	exitInterrupted = 13
)

// program is what commands share.
type program struct {
	stdout, stderr io.Writer
	logLevel       string
	workers        int
	log            *slog.Logger
}

// runError marks the errors of a command that has started, as opposed to those of its command line.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdout: stdout, stderr: stderr}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	var ran *runError
	var usage *run.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "bench: interrupted: the same command continues with what it has not made")
		return exitInterrupted
	case !errors.As(err, &ran), errors.As(err, &usage): // cobra's own error is about a flag, an argument or a command
		fmt.Fprintf(stderr, "bench: %v\nSee %s --help.\n", err, command.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(stderr, "bench: %v\n", err)
	return exitFailed
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure Anchorage",
		Long: `Bench measures. Each part writes a folder of results: CSV, charts (SVG), and a README.md that says what they
show and which commands made them.

Exit codes: 0 done · 1 failed · 10 bad usage · 13 interrupted.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.start() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&p.logLevel, "log-level", "info", "what is logged on stderr: debug, info, warn, error")
	flags.IntVar(&p.workers, "workers", 0, "goroutines that work at a time; 0 for one per processor")
	root.AddCommand(p.allCommand())
	for _, part := range parts {
		root.AddCommand(p.partCommand(part))
	}
	root.AddCommand(p.intrusionCommand())
	root.AddCommand(&cobra.Command{Use: run.ChildCommand, Short: "Make one run of a part", Hidden: true,
		Args: cobra.ExactArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			for _, part := range parts {
				if part.Name == args[0] {
					return part.Child(cmd.Context(), cmd.InOrStdin(), p.stdout, p.stderr)
				}
			}
			return cmd.Help()
		})})
	root.AddCommand(&cobra.Command{Use: systems.ChildCommand, Short: "Make one run of ours beside other programs",
		Hidden: true,
		RunE:   started(func(cmd *cobra.Command, args []string) error { return systems.Child(cmd.Context(), args) })})
	return root
}

// start sets up logging.
func (p *program) start() error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(p.logLevel)); err != nil {
		return fmt.Errorf("--log-level is %q: it must be debug, info, warn or error", p.logLevel)
	}
	if p.workers < 0 {
		return fmt.Errorf("--workers is %d: it cannot be negative", p.workers)
	}
	p.log = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: level}))
	return nil
}

// partCommand returns the command of a part.
func (p *program) partCommand(part *run.Part) *cobra.Command {
	values := part.Defaults()
	var o run.Options
	var show bool
	cmd := &cobra.Command{
		Use:   part.Name,
		Short: part.About,
		Long: part.About + `.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again; an interrupted command continues
with the first run that is missing. README.md and the charts show all runs of the folder.`,
		Example: "  go run ./bench " + part.Name + " -o results",
		Args:    cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(o.Folder); err != nil {
				return err
			}
			if show {
				return part.Show(o.Folder)
			}
			for name := range values {
				values[name] = cmd.Flag(name).Value.String()
			}
			o.Command, o.Workers, o.Log, o.Stderr = commandLine(cmd, part), p.workers, p.log, p.stderr
			if err := part.Run(cmd.Context(), values, o); err != nil {
				return err
			}
			_, err := fmt.Fprintf(p.stdout, "The results are in %s; README.md there says what they show.\n", o.Folder)
			return err
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &o.Folder)
	for _, s := range part.Settings {
		flags.String(s.Name, s.Default, s.Help)
	}
	flags.StringVar(&o.Again, "again", run.AgainNone,
		"runs that are made again although they have a row: none, failed or all")
	flags.DurationVar(&o.Limit, "limit", 0, "how long a run may take, such as 30m; 0 for any time")
	flags.BoolVar(&show, "show", false, "only write README.md and the charts of the folder again")
	return cmd
}

// started wraps a command's function so that its errors differ from those of its command line.
func started(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := fn(cmd, args); err != nil {
			return &runError{err}
		}
		return nil
	}
}

// outputFlag adds -o, which every command needs.
func outputFlag(flags *pflag.FlagSet, output *string) {
	flags.SortFlags = false
	flags.StringVarP(output, "output", "o", "", "folder for the results (required)")
}

// needOutput checks that -o was given and is in a folder that exists.
func needOutput(output string) error {
	if output == "" {
		return &run.UsageError{Err: errors.New("-o must name a folder for the results")}
	}
	if _, err := os.Stat(filepath.Dir(filepath.Clean(output))); err != nil {
		return &run.UsageError{Err: fmt.Errorf("-o %s: %w", output, err)}
	}
	return nil
}

// commandLine returns the command that would do the same again, with names for the folders and programs of this
// machine.
func commandLine(cmd *cobra.Command, part *run.Part) string {
	line := "go run ./bench " + part.Name + " -o RESULTS"
	for _, s := range part.Settings {
		value := cmd.Flag(s.Name).Value.String()
		if !cmd.Flag(s.Name).Changed {
			continue
		}
		if filepath.Base(value) != value {
			value = strings.ToUpper(s.Name)
		}
		line += " --" + s.Name + " " + value
	}
	return line
}
