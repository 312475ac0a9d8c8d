// This file reports the error of a command on stderr: as a sentence, or as a line of JSON for programs.

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/anchor"
	"anchorage/internal/safetext"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/shard/fault"
	"anchorage/sketch"
)

// report prints the error of a command and returns the exit code.
func (p *program) report(command *cobra.Command, args []string, err error) int {
	if !errors.As(err, new(*runError)) { // cobra's own: an unknown command or flag, or a wrong argument
		err = &usageError{err}
	}
	if strings.Contains(err.Error(), "arg(s)") && errors.As(err,
		new(*usageError)) { // cobra counts arguments, and does not name them
		err = &usageError{fmt.Errorf("wrong arguments: the command is %s", command.UseLine())}
	}
	code := exitCode(err)
	text := cleanMessage(err, message(err)+p.siftAdvice(err))
	if code == exitInterrupted {
		text = "interrupted: " + left(err)
		if limit := new(timeLimitError); errors.As(err, &limit) {
			text = limit.Error() + ": " + left(err)
		}
	}
	text = p.ranks.prefix() + text + firstRows(err)
	switch {
	case p.wantsJSON(args):
		p.reportJSON(command, err, text, code)
	case code == exitUsage:
		fmt.Fprintf(p.stderr, "anchorage: %s\nSee %s --help.\n", text, command.CommandPath())
	default:
		fmt.Fprintf(p.stderr, "anchorage: %s\n", text)
	}
	return code
}

// siftAdvice is what follows the message of a shard that is damaged, where a command has others and can leave it out.
func (p *program) siftAdvice(err error) string {
	e := new(shard.Error)
	if !errors.As(err, &e) || e.InRow() || e.Reason() != fault.Unspecified || p.flags == nil ||
		p.flags.Lookup("on-bad-shard") == nil || given(p.flags, "on-bad-shard") ||
		len(p.outcome.paths) < 2 && p.outcome.Command != "update" || !slices.Contains(p.outcome.paths, e.Path) {
		return ""
	}
	return "; leave such shards out with --on-bad-shard skip"
}

// reported returns the exit code of an error that another rank says.
func reported(err error) int {
	if !errors.As(err, new(*runError)) {
		err = &usageError{err}
	}
	return exitCode(err)
}

// left says what an interrupt left.
func left(err error) string {
	if resumable := new(fit.InterruptedError); errors.As(err, &resumable) {
		return fmt.Sprintf("to continue from %s, repeat the command with --resume", resumable.Checkpoint)
	}
	if errors.As(err, new(*updateError)) {
		return "the store is as it was; the next update takes over the shards that were read"
	}
	return "nothing was written"
}

// wantsJSON reports whether errors are lines of JSON. A wrong flag ends the reading of flags, so the arguments are
// looked at too.
func (p *program) wantsJSON(args []string) bool {
	return p.json || p.logFormat == logJSON || slices.Contains(args, "--json") || slices.Contains(args,
		"--log-format="+logJSON) || strings.Contains(strings.Join(args, " "), "--log-format "+logJSON)
}

// reportJSON writes an error as a record of a log in JSON: the message, the exit code and the command; for bad input
// also the file and, where they are known, the row, the row group and the column; for an unknown item those that may be
// meant; for too many topics how many there can be; and the advice that the message ends with.
func (p *program) reportJSON(command *cobra.Command, err error, text string, code int) {
	figures := []any{"code", code, "command", command.CommandPath()}
	var input *shard.Error
	var directory *model.InputError
	var unknown *model.UnknownItemError
	var few *sketch.RankError
	var dependent *anchor.RankError
	switch {
	case errors.As(err, &few):
		figures = append(figures, "most_topics", few.Rank)
	case errors.As(err, &dependent):
		figures = append(figures, "most_topics", dependent.Rank)
	case errors.As(err, &input):
		figures = append(figures, "file", input.Path)
		if input.Row > 0 {
			figures = append(figures, "row", input.Row)
		}
		if input.Group > 0 {
			figures = append(figures, "row_group", input.Group)
		}
		if input.Column != "" {
			figures = append(figures, "column", input.Column)
		}
	case errors.As(err, &directory):
		figures = append(figures, "file", directory.Path)
	case errors.As(err, &unknown):
		figures = append(figures, "item", unknown.ID, "suggestions", append([]string{}, unknown.Suggestions...))
		if unknown.LeftOut != "" {
			figures = append(figures, "left_out", unknown.LeftOut)
		}
	}
	if resumable := new(fit.InterruptedError); errors.As(err, &resumable) {
		figures = append(figures, "checkpoint", resumable.Checkpoint)
	}
	if remedy := strings.TrimLeft(advice(err)+p.siftAdvice(err), ":; "); remedy != "" {
		figures = append(figures, "advice", remedy)
	}
	slog.New(slog.NewJSONHandler(safetext.JSON{W: p.stderr}, nil)).Error(text, figures...)
}
