// This file holds the command tree and what all commands share: logging, flags, and the way they end.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench/internal/systems"
)

// program is what commands share.
type program struct {
	stdout, stderr io.Writer
	logLevel       string
	workers        int
	log            *slog.Logger
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdout: stdout, stderr: stderr}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	var ran *runError
	if !errors.As(err, &ran) { // cobra's own error, about a flag, an argument or a command
		err = &usageError{err}
	}
	code := exitCode(err)
	switch code {
	case exitInterrupted:
		kept := &keptError{what: "nothing was written"}
		errors.As(err, &kept)
		fmt.Fprintf(stderr, "bench: interrupted: %s\n", kept.what)
	case exitUsage:
		fmt.Fprintf(stderr, "bench: %v\nSee %s --help.\n", err, command.CommandPath())
	default:
		fmt.Fprintf(stderr, "bench: %v\n", err)
	}
	return code
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure Anchorage",
		Long: `Bench measures. Each part writes a folder of results: CSV, charts (SVG), and a README.md that says what they show and which
command made them. Files are complete or absent.

Exit codes: 0 done · 1 failed · 10 bad usage · 11 bad input · 12 out of memory, disk or descriptors · 13 interrupted ·
14 the results exist.`,
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
	root.AddCommand(p.allCommand(), systemCommand())
	for _, part := range runParts {
		root.AddCommand(p.partCommand(part))
	}
	root.AddCommand(p.partChild())
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

// childCommand returns a hidden command, by which this program starts itself to make one run.
func childCommand(name string, run func(*cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use:    name,
		Short:  "Make one run for another command",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   started(func(cmd *cobra.Command, _ []string) error { return run(cmd) }),
	}
}

// systemCommand returns the hidden command that makes a run of ours beside others. It takes the arguments that their programs take.
func systemCommand() *cobra.Command {
	cmd := childCommand(systems.ChildCommand, nil)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = started(func(cmd *cobra.Command, args []string) error { return systems.Child(cmd.Context(), args) })
	return cmd
}

// started wraps a command's function so that its errors are told from those of its command line.
func started(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := fn(cmd, args); err != nil {
			return &runError{err}
		}
		return nil
	}
}

// outputFlag adds -o, which every part needs.
func outputFlag(flags *pflag.FlagSet, output *string, what string) {
	flags.SortFlags = false
	flags.StringVarP(output, "output", "o", "", what+" (required)")
}

// needOutput checks that -o was given and lies in a folder that exists.
func needOutput(output string) error {
	if output == "" {
		return &usageError{errors.New("-o must name a folder for the results")}
	}
	if _, err := os.Stat(filepath.Dir(filepath.Clean(output))); err != nil {
		return &usageError{fmt.Errorf("-o %s: %w", output, err)}
	}
	return nil
}

// wrote says where results are.
func (p *program) wrote(output string) error {
	_, err := fmt.Fprintf(p.stdout, "The results are in %s; README.md there says what they show.\n", output)
	return err
}

// commandLine returns the command that would do the same again. Paths of this machine are replaced by what they stand for.
func commandLine(cmd *cobra.Command) string {
	line := "go run ./bench " + cmd.Name()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		value := strings.Trim(flag.Value.String(), "[]")
		switch flag.Name {
		case "output":
			value = "RESULTS"
		case "shards", "labels", "store", "program":
			if flag.Value.Type() == "string" { // a path
				value = strings.ToUpper(flag.Name)
			}
		case "log-level":
			return
		}
		if flag.Value.Type() == "bool" {
			line += " --" + flag.Name + "=" + value // a value of its own would be an argument
			return
		}
		line += " --" + flag.Name + " " + value
	})
	return line
}
