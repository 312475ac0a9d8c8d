// This file opens the checkpoint of a run, and holds the errors about checkpoints.

package fit

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path"
	"path/filepath"
	"strings"
	"time"

	"anchorage/internal/checkpoint"
	"anchorage/internal/objects"
	"anchorage/model"
)

// The faults of checkpoints.
const (
	NoCheckpoint  model.Fault = "no checkpoint"  // there is no checkpoint to resume from
	BadCheckpoint model.Fault = "bad checkpoint" // the checkpoint is damaged or belongs to another fit
)

// Checkpoint is where a run keeps its state, so that one that was interrupted or killed can continue, with the same
// result. A run uses it in this order: OpenCheckpoint; stream.Open with the context of Reading; Fit or Sketch with
// Run.Checkpoint; Saving before the result is put at its place, and Remove after it. A run that fails calls Interrupted
// with its error, then Close. All methods of nil do nothing.
type Checkpoint struct{ folder *checkpoint.Folder }

// CheckpointOptions say how a checkpoint is used. The zero value refuses to begin where there is one.
type CheckpointOptions struct {
	// Resume says what to do about a checkpoint: "yes" continues from it, and refuses to begin without one; "auto"
	// continues from one that exists; "no", or empty, refuses to begin where there is one.
	Resume  string
	Restart bool // remove a checkpoint that exists
	// Every is the longest time between two states; 0 means 10 minutes. They come more often as long as that takes less
	// than 5 % of the time. If Every is negative, every possible state is written.
	Every time.Duration
	Until time.Time    // when the run will be interrupted; zero if that is not known
	Log   *slog.Logger // receives what is resumed and written; may be nil
}

// OpenCheckpoint opens the checkpoint at path, a folder of this machine, and locks it. The folder above it must exist.
// The error is an *UnfinishedError, or an *InputError with the fault NoCheckpoint, where a checkpoint exists, or does
// not, against o.Resume. It wraps ErrLocked if another run uses it. Once ctx is done, nothing more is read or written,
// except by Interrupted.
func OpenCheckpoint(ctx context.Context, path string, o CheckpointOptions) (*Checkpoint, error) {
	folder, err := checkpoint.Open(ctx, path, checkpoint.Options{Resume: checkpoint.Mode(o.Resume), Restart: o.Restart,
		Every: o.Every, Until: o.Until, Log: o.Log})
	switch {
	case errors.Is(err, checkpoint.ErrUnfinished):
		return nil, &UnfinishedError{Checkpoint: path}
	case errors.Is(err, checkpoint.ErrMissing):
		return nil, &model.InputError{Path: path, Fault: NoCheckpoint, Reason: "does not exist: there is nothing to resume"}
	case err != nil:
		return nil, err
	}
	return &Checkpoint{folder}, nil
}

// CheckpointPath returns where the checkpoint of an output is: .NAME.checkpoint in a folder or, if that is empty,
// beside the output. It is empty without a folder for an output in an object store.
func CheckpointPath(output, folder string) string {
	name := filepath.Base(output)
	if objects.IsURL(output) {
		if folder == "" {
			return ""
		}
		text, _, _ := strings.Cut(output, "?")
		name = path.Base(text)
	}
	return filepath.Join(cmp.Or(folder, filepath.Dir(filepath.Clean(output))), "."+name+".checkpoint")
}

// open returns the folder; nil without one.
func (c *Checkpoint) open() *checkpoint.Folder {
	if c == nil {
		return nil
	}
	return c.folder
}

// Reading returns the context with which the documents must be opened. The corpus keeps its copy of them in the
// checkpoint.
func (c *Checkpoint) Reading(ctx context.Context) context.Context { return c.open().In(ctx) }

// Know adds a fact that decides the result. A run resumes only if all facts are what they were.
func (c *Checkpoint) Know(name, value string) {
	c.open().Know(checkpoint.Fact{Name: name, Value: value})
}

// Path returns the path of the folder.
func (c *Checkpoint) Path() string { return c.open().Path() }

// Saving notes that the result, which may have a name, is about to be put at its place.
func (c *Checkpoint) Saving(result string) error { return c.open().Saving(result) }

// Interrupted returns the error with which a run ends that err has ended: an *InterruptedError if the run can be
// resumed. After an interrupt it first writes the last state, if that takes less than a second.
func (c *Checkpoint) Interrupted(err error) error {
	if errors.As(err, new(*InterruptedError)) || !c.open().Interrupted(err) {
		return err
	}
	return &InterruptedError{Checkpoint: c.Path(), Err: err}
}

// Close gives the checkpoint up. It removes one that holds no state.
func (c *Checkpoint) Close() error { return c.open().Close() }

// Remove removes the checkpoint: the run is complete.
func (c *Checkpoint) Remove() error { return c.open().Remove() }

// ErrChanged is wrapped by the error of a run that cannot be resumed, because something that decides its result has
// changed.
var ErrChanged = checkpoint.ErrChanged

// UnfinishedError reports that the checkpoint of another run exists where a run is to begin. It wraps ErrExists.
type UnfinishedError struct{ Checkpoint string }

// Error names the checkpoint.
func (e *UnfinishedError) Error() string {
	return e.Checkpoint + " is the checkpoint of an unfinished run"
}

// Unwrap returns ErrExists.
func (e *UnfinishedError) Unwrap() error { return model.ErrExists }

// InterruptedError reports that a run was interrupted and can be resumed.
type InterruptedError struct {
	Checkpoint string
	Err        error
}

// Error names the checkpoint.
func (e *InterruptedError) Error() string { return "interrupted: the checkpoint is " + e.Checkpoint }

// Unwrap returns what interrupted the run.
func (e *InterruptedError) Unwrap() error { return e.Err }
