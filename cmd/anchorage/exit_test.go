package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/sketch"
)

// TestExitCodes wants the documented code for every kind of error, also where it is wrapped.
func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("anything"), 1},
		{fs.ErrPermission, 10},
		{&shard.Error{Err: fs.ErrPermission}, 11},
		{&usageError{errors.New("flag")}, 10},
		{&model.OptionError{Option: "Topics"}, 10},
		{&sketch.RankError{Topics: 3, Rank: 2}, 10},
		{&anchor.RankError{Topics: 3, Rank: 2}, 10},
		{&sketch.RankError{Topics: 3, Rank: 1}, 11}, // no number of topics would do
		{&anchor.RankError{Topics: 3, Rank: 0}, 11},
		{&anchor.ItemError{}, 10},
		{fit.ErrUncounted, 10},
		{&shard.Error{Err: errors.New("row")}, 11},
		{&corpus.DataError{}, 11},
		{&model.InputError{}, 11},
		{corpus.ErrCorrupt, 11},
		{syscall.ENOSPC, 12},
		{syscall.EDQUOT, 12},
		{syscall.EMFILE, 12},
		{syscall.ENFILE, 12},
		{syscall.ENOMEM, 12},
		{&sketch.DenseError{}, 12},
		{&fit.MemoryError{Stages: []fit.StageMemory{{}}}, 12},
		{&durable.SpillError{Damaged: true, Err: errors.New("bytes")}, 12},
		{&shard.Error{Err: syscall.EMFILE}, 12}, // resources come before bad input
		{context.Canceled, 13},
		{&shard.Error{Err: context.Canceled}, 13}, // an interrupt comes before all else
		{&fit.InterruptedError{Err: context.Canceled}, 13},
		{model.ErrExists, 14},
		{model.ErrLocked, 14},
		{enough(1, 2, "shards", "--min-shards"), 11},
		{&unreportedError{"model", errors.New("stdout")}, 15},
		{&unreportedError{"model", syscall.ENOSPC}, 15}, // the output is complete, whatever failed after it
		{&unreportedError{"model", &durable.UnsyncedError{Path: "model", Err: syscall.EIO}}, 15},
		{&durable.UnsyncedError{Path: "checkpoint", Err: errors.New("sync")}, 1}, // of something that is no output
	} {
		if got := exitCode(test.err); got != test.code {
			t.Errorf("%T %v: %d, want %d", test.err, test.err, got, test.code)
		}
		if test.err == nil {
			continue
		}
		if got := exitCode(&runError{fmt.Errorf("here: %w", test.err)}); got != test.code {
			t.Errorf("wrapped %T: %d, want %d", test.err, got, test.code)
		}
	}
}

// TestReport wants one sentence about an error, and where to find help if the command line was wrong.
func TestReport(t *testing.T) {
	command := &cobra.Command{Use: "anchorage"}
	for _, test := range []struct {
		err  error
		want string
		code int
	}{
		{errors.New("unknown flag: --x"), "anchorage: unknown flag: --x\nSee anchorage --help.\n", exitUsage},
		{&runError{&usageError{errors.New("give -k")}}, "anchorage: give -k\nSee anchorage --help.\n", exitUsage},
		{&runError{errors.New("broken")}, "anchorage: broken\n", exitFailed},
		{&runError{context.Canceled}, "anchorage: interrupted: nothing was written\n", exitInterrupted},
		{&runError{&fit.InterruptedError{Checkpoint: "m.checkpoint", Err: context.Canceled}},
			"anchorage: interrupted: to continue from m.checkpoint, repeat the command with --resume\n", exitInterrupted},
		{&runError{&sketch.DenseError{}}, "anchorage: " + (&sketch.DenseError{}).Error() +
			": prune the vocabulary with --max-items, or choose --method lrjsmf\n", exitResources},
	} {
		var out bytes.Buffer
		if code := (&program{stderr: &out}).report(command, nil, test.err); code != test.code || out.String() != test.want {
			t.Errorf("%d, %q, want %d, %q", code, out.String(), test.code, test.want)
		}
	}
}

// TestExitCodesInHelp wants the help to list the codes that there are.
func TestExitCodesInHelp(t *testing.T) {
	help, _ := execute(t, exitDone, "--help")
	_, codes, _ := strings.Cut(help, "Exit codes: ")
	codes, _, _ = strings.Cut(codes, ".\n")
	for _, code := range []int{exitDone, exitFailed, exitSkipped, exitUsage, exitInput, exitResources, exitInterrupted,
		exitExists, exitUnreported, exitShort, exitNothing, 2} {
		if !strings.Contains(" "+strings.ReplaceAll(codes, "\n", " "), fmt.Sprintf(" %d ", code)) {
			t.Errorf("the help lacks the code %d: %s", code, codes)
		}
	}
	if n := strings.Count(codes, "·") + 1; n != 12 {
		t.Errorf("the help lists %d codes", n)
	}
}
