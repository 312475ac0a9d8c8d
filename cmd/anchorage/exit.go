// This file has a table of errors: which exit code each has, and what would help against it.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"anchorage/anchor"
	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/collective"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/fit"
	"anchorage/model/steer"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/store"
)

// The exit codes; users' scripts depend on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitSkipped     = 3  // done, but shards were skipped
	exitUsage       = 10 // bad usage or configuration
	exitInput       = 11 // bad input
	exitResources   = 12 // out of memory budget, disk or descriptors
	exitInterrupted = 13
	exitExists      = 14 // output exists or is locked
	exitUnreported  = 15 // the output is complete, but that could not be reported or made lasting
	exitShort       = 16 // done, but the model falls short of what was required
	exitNothing     = 99 // nothing new to do
)

// usageError is an error of the command line.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// codedError is an error with its exit code.
type codedError struct {
	code int
	error
}

// unreportedError is an error that came after the output was complete.
type unreportedError struct {
	output string
	err    error
}

func (e *unreportedError) Error() string {
	if errors.Is(e.err, model.ErrUnsynced) {
		return e.err.Error()
	}
	return fmt.Sprintf("%s is complete, but reporting that failed: %v", e.output, e.err)
}
func (e *unreportedError) Unwrap() error { return e.err }

// errorRow says of one kind of errors which exit code it has, 0 if another row decides, and what to add to the
// message, "" if nothing. Both are so for all other errors.
type errorRow func(err error) (code int, advice string)

// when is the row of a type of errors.
func when[E error](say func(E) (int, string)) errorRow {
	return func(err error) (int, string) {
		var found E
		if !errors.As(err, &found) {
			return 0, ""
		}
		return say(found)
	}
}

// typed is the row of a type of errors that all have the same code and advice.
func typed[E error](code int, advice string) errorRow {
	return when(func(E) (int, string) { return code, advice })
}

// named is the row of a few errors.
func named(code int, advice string, errs ...error) errorRow {
	return func(err error) (int, string) {
		if slices.ContainsFunc(errs, func(one error) bool { return errors.Is(err, one) }) {
			return code, advice
		}
		return 0, ""
	}
}

// errorRows are the rows of all errors. The first that has a code decides on the code, and the first that has advice on
// the advice: an output that is complete and an interrupt come before all else, and resources before bad input.
var errorRows = []errorRow{
	typed[*unreportedError](exitUnreported, ""),
	named(exitInterrupted, "", context.Canceled),
	typed[*model.ShortError](exitShort, ""),
	named(exitResources, "; make room on that disk, or choose another; anchorage plan says how much a fit takes",
		syscall.ENOSPC, syscall.EDQUOT),
	named(exitResources, ": give more with --memory-limit, or a smaller input", syscall.ENOMEM, errLowLimit),
	named(exitResources, ": raise the limit of open files (ulimit -n), or give fewer --workers", syscall.EMFILE,
		syscall.ENFILE),
	typed[*sketch.DenseError](exitResources, ": prune the vocabulary with --max-items, or choose --method lrjsmf"),
	when(refusedRow),
	when(func(e *durable.SpillError) (code int, advice string) {
		if e.Damaged {
			code = exitResources
		}
		return code, ": name another folder with --spill-dir"
	}),
	typed[*bayes.RoomError](0, ": name another folder with --spill-dir"),
	when(func(e *codedError) (int, string) { return e.code, "" }),
	named(0, ": continue from it with --resume, or remove it and begin again with --restart", fit.ErrUnfinished),
	when(func(e *store.Error) (int, string) { // the loser of two writers
		if e.Fault == store.Outdated {
			return exitExists, keptAdvice[e.Fault]
		}
		return 0, ""
	}),
	named(exitExists, ": choose another name, or move away what is there", model.ErrNotReplaceable),
	named(exitExists, ": choose another -o, or let the new one take its place with --replace", model.ErrExists),
	named(exitExists, "", model.ErrLocked),
	when(func(e *collective.DisagreementError) (int, string) {
		if e.What == comparedShards {
			return exitInput, ": all ranks must see the same files"
		}
		return exitUsage, cmp.Or(comparedAdvice[e.What], ": all ranks must read the same files")
	}),
	typed[*collective.UnsharedError](exitInput, ": name a folder with -o that all machines share"),
	when(func(e *collective.LaunchError) (code int, advice string) {
		if !e.Built {
			advice = ": build it with CC=mpicc go build -tags mpi ./cmd/anchorage, or start it once"
		}
		return exitUsage, advice
	}),
	when(func(e *objects.DriverError) (int, string) { return exitUsage, driverAdvice[e.Scheme] }),
	when(func(e *store.Error) (int, string) {
		if storeUsage[e.Fault] {
			return exitUsage, keptAdvice[e.Fault]
		}
		return exitInput, keptAdvice[e.Fault]
	}),
	when(func(e *sketch.RankError) (int, string) {
		code, advice := rankRow(e.Rank)
		if e.Columns > 0 && code == exitUsage {
			advice += ", raise --set sketch-columns, or allow more --passes"
		}
		return code, advice
	}),
	when(func(e *anchor.RankError) (int, string) { return rankRow(e.Rank) }),
	when(func(e *anchor.ItemError) (int, string) { return exitUsage, itemAdvice[e.Fault] }),
	typed[*anchor.NegativeRowsError](exitUsage, ": divide by the counted sums with --set row-sums=exact, use the "+
		"evidence, make more --passes, leave out rare items with --min-df, or use --set normalization=marginal"),
	named(exitUsage, ": give a --vocab made by anchorage vocab, make more --passes, or choose --set item-weights=none",
		fit.ErrUncounted),
	when(func(e *export.OptionError) (code int, advice string) {
		if e.Documents {
			advice = documentsAdvice[e.Format == export.PyLDAvis]
		}
		return exitUsage, advice
	}),
	typed[*steer.Error](exitUsage, ""),
	typed[*output.PlaceError](exitUsage, ""),
	typed[*usageError](exitUsage, ""),
	when(func(e *shard.UnclearError) (int, string) { return exitUsage, unclearAdvice(e) }),
	typed[*model.OptionError](exitUsage, ""),
	when(func(e *shard.Error) (int, string) {
		if text := choices(e); text != "" || !e.InRow() {
			return exitInput, text
		}
		return exitInput, "; leave such rows out with --on-bad-row skip"
	}),
	named(exitInput, faultAdvice[fit.BadCheckpoint], fit.ErrChanged, checkpoint.ErrDamaged),
	when(func(e *corpus.DataError) (int, string) { return exitInput, lackAdvice[e.Lack] }),
	when(func(e *sketch.MergeError) (int, string) { return 0, mergeAdvice[e.Difference] }),
	when(func(e *model.InputError) (int, string) { return exitInput, inputAdvice(e) }),
	typed[*model.UnknownItemError](exitInput, ""),
	typed[*export.ItemError](exitInput, ""),
	when(func(e *transform.TimeError) (code int, advice string) {
		if e.Column {
			advice = ": choose another with --time-column"
		}
		return exitInput, advice
	}),
	named(exitInput, "", corpus.ErrCorrupt),
	named(exitUsage, ": let the user who runs this read and write there", fs.ErrPermission, syscall.EROFS),
}

// exitCode returns the code for an error.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	for _, row := range errorRows {
		if code, _ := row(err); code != 0 {
			return code
		}
	}
	return exitFailed
}

// advice returns what to add to the message of an error; "" if no flag would help.
func advice(err error) string {
	if labels := new(labelsError); errors.As(err, &labels) {
		return labels.advice()
	}
	for _, row := range errorRows {
		if _, text := row(err); text != "" {
			return text
		}
	}
	return ""
}

// message returns the text of an error for users: with the flags of options, and with advice.
func message(err error) string {
	if option := new(model.OptionError); errors.As(err, &option) && optionFlags[option.Option] != "" {
		return optionFlags[option.Option] + ": " + option.Reason
	}
	return err.Error() + advice(err)
}

// rankRow is the row of fewer topics than were asked for.
func rankRow(most int) (code int, advice string) {
	if most < leastTopics {
		return exitInput, fmt.Sprintf("; a model needs at least %d topics: give more documents, or leave fewer out "+
			"(--min-items, --min-tokens, --min-df)", leastTopics)
	}
	return exitUsage, fmt.Sprintf(": ask for at most %d with -k", most)
}

// refusedRow is the row of runs that would take too much memory.
func refusedRow(e *fit.MemoryError) (code int, advice string) {
	if e.Machine {
		return exitResources, fmt.Sprintf(", which is %.0f %% of what the machine or container has: give a limit with "+
			"--memory-limit if it may take more; or ask for fewer topics (-k), or prune the vocabulary (--min-df, --max-items)",
			100*machineShare)
	}
	return exitResources, ": ask for fewer topics (-k), fewer --set sketch-columns or fewer --workers, prune the " +
		"vocabulary (--min-df, --max-items), or raise --memory-limit"
}
