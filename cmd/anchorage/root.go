// This file holds the command tree and what all commands share: logging, progress and the way they end.

package main

import (
	"context"
	"errors"
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
	stdout, stderr io.Writer
	logLevel       string
	progress       string
	workers        int
	json           bool
	profilePath    string

	log     *slog.Logger
	profile *profile
	bar     *bar

	skipped []corpus.Skipped // shards that the command has set aside
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdout: stdout, stderr: stderr, log: slog.New(slog.DiscardHandler)}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	p.bar.close()
	if writing := p.profile.write(context.WithoutCancel(ctx), p.warn); err == nil && writing != nil {
		err = &runError{writing}
	}
	if err == nil && len(p.skipped) > 0 {
		return exitSkipped
	}
	if err == nil {
		return exitDone
	}
	var ran *runError
	if !errors.As(err, &ran) { // cobra's own: a flag, an argument or a command that is none
		err = &usageError{err}
	}
	code := exitCode(err)
	switch code {
	case exitInterrupted:
		if resumable := new(model.InterruptedError); errors.As(err, &resumable) {
			fmt.Fprintf(stderr, "anchorage: interrupted: the same command with --resume goes on from %s\n", resumable.Checkpoint)
			break
		}
		fmt.Fprintln(stderr, "anchorage: interrupted: nothing was written")
	case exitUsage:
		fmt.Fprintf(stderr, "anchorage: %s\nSee %s --help.\n", message(err), command.CommandPath())
	default:
		fmt.Fprintf(stderr, "anchorage: %s\n", message(err))
	}
	return code
}

// runError marks the errors of a command that was started, as opposed to those of its command line.
type runError struct{ err error }

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "anchorage",
		Short: "Topics, anchor items and correlations from huge vocabularies",
		Long: `Anchorage learns topics (or item clusters), their anchor items and their correlations from bag-of-words
documents or retail baskets whose vocabulary is too large for an item-by-item co-occurrence matrix.

  anchorage fit SHARD... -k 50 -o MODEL      does everything: read, sketch, rectify, find topics

The stages can also be run one by one, with the same results:

  anchorage vocab SHARD... -o vocabulary.parquet
  anchorage sketch SHARD... -k 50 --vocab vocabulary.parquet -o SKETCH
  anchorage rectify SKETCH -o FACTOR
  anchorage anchor FACTOR -o MODEL

What goes in:

  anchorage inspect SHARD...                 what shards hold and how they would be read
  anchorage convert IN... -o DIR             documents of any format to Parquet shards

What has come out:

  anchorage eval MODEL SHARD...              figures of merit

Other models, by variational inference:

  anchorage bayes fit --model bnmf|cnmf|lda SHARD... -k 50 -o MODEL

Exit codes: 0 done · 1 failed · 3 done, but bad shards were skipped · 10 bad usage or configuration · 11 bad input · 12 out of memory, disk or
descriptors · 13 interrupted · 14 output exists or is locked.`,
		Version:       model.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{
			HiddenDefaultCmd: true,
		},
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.start() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&p.logLevel, "log-level", "auto", "what is logged on stderr: debug, info, warn, error; auto is info, or warn beside a progress bar")
	flags.StringVar(&p.progress, "progress", "auto", "auto shows progress when stderr is a terminal; off never does")
	flags.IntVar(&p.workers, "workers", 0, "goroutines that work at a time; 0 for one per processor; results do not depend on it")
	flags.StringVar(&p.profilePath, "cpu-profile", "", "file for a record of where processor time goes, for go tool pprof")
	root.AddCommand(p.fitCommand(), p.vocabCommand(), p.convertCommand(), p.inspectCommand(), p.sketchCommand(), p.mergeCommand(), p.rectifyCommand(), p.anchorCommand(), p.evalCommand(), p.bayesCommand())
	completeFormats(root)
	return root
}

// start sets logging and progress up from the flags.
func (p *program) start() error {
	terminal := isTerminal(p.stderr)
	switch p.progress {
	case "auto":
		if terminal {
			p.bar = newBar(p.stderr)
		}
	case "off":
	default:
		return fmt.Errorf("--progress is %q: use auto or off", p.progress)
	}
	level := slog.LevelInfo
	switch {
	case p.logLevel == "auto" && p.bar != nil:
		level = slog.LevelWarn
	case p.logLevel == "auto":
	default:
		if err := level.UnmarshalText([]byte(p.logLevel)); err != nil {
			return fmt.Errorf("--log-level is %q: use auto, debug, info, warn or error", p.logLevel)
		}
	}
	if p.workers < 0 {
		return fmt.Errorf("--workers is %d: it cannot be negative", p.workers)
	}
	p.log = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: level}))
	var err error
	if p.profile, err = startProfile(p.profilePath); err != nil {
		return err
	}
	p.log.Debug("started", "workers", kernel.Workers(p.workers), "instructions", kernel.Instructions())
	return nil
}

// newRun begins the record of a run.
func (p *program) newRun() *model.Run {
	_, set := os.LookupEnv("GOGC")
	return &model.Run{Workers: p.workers, Log: p.log, Progress: p.bar.update, OwnsProcess: true, TunesCollector: !set}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// started wraps a command's function so that its errors are told from those of its command line.
func started(fn func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := fn(cmd.Context(), args); err != nil {
			return &runError{err}
		}
		return nil
	}
}
