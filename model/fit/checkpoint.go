// This file opens the checkpoint of a run, keeps that of a fit and continues from it, and holds the errors about
// checkpoints.

package fit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/model"
	"anchorage/rectify"
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
// The error is that of Unfinished, or an *InputError with the fault NoCheckpoint, where a checkpoint exists, or does
// not, against o.Resume. It wraps ErrLocked if another run uses it. Once ctx is done, nothing more is read or written,
// except by Interrupted.
func OpenCheckpoint(ctx context.Context, path string, o CheckpointOptions) (*Checkpoint, error) {
	folder, err := checkpoint.Open(ctx, path, checkpoint.Options{Resume: checkpoint.Mode(o.Resume), Restart: o.Restart,
		Every: o.Every, Until: o.Until, Log: o.Log})
	switch {
	case errors.Is(err, checkpoint.ErrUnfinished):
		return nil, Unfinished(path)
	case errors.Is(err, checkpoint.ErrMissing):
		return nil, &model.InputError{Path: path, Fault: NoCheckpoint, Reason: "does not exist: there is nothing to resume"}
	case err != nil:
		return nil, err
	}
	return &Checkpoint{folder}, nil
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

// ErrUnfinished is wrapped by the error of Unfinished; it wraps ErrExists.
var ErrUnfinished = checkpoint.ErrUnfinished

// Unfinished returns the error where a run is to begin and a checkpoint of another run exists.
func Unfinished(path string) error {
	return &model.InputError{Path: path, Reason: "is the checkpoint of an unfinished run", Err: ErrUnfinished}
}

// InterruptedError reports that a run was interrupted and can be resumed.
type InterruptedError struct {
	Checkpoint string
	Err        error
}

// Error names the checkpoint.
func (e *InterruptedError) Error() string { return "interrupted: the checkpoint is " + e.Checkpoint }

// Unwrap returns what interrupted the run.
func (e *InterruptedError) Unwrap() error { return e.Err }

// keeping is the checkpoint of a fit under way. All methods of a nil *keeping do nothing.
type keeping struct {
	docs   *corpus.Corpus
	folder *checkpoint.Folder
	chain  *checkpoint.Chain
	at     position           // of the state to continue from; "" if there is none
	from   snapshot           // of that state
	loaded *checkpoint.Loaded // the rest of it, which is a stage's
	last   *checkpoint.Point
}

// keep opens the checkpoint of a run of the named stages, if the run has one.
func (r *Run) keep(docs *corpus.Corpus, opts *Options, stages string) error {
	folder := r.Checkpoint.open()
	if folder == nil {
		return nil
	}
	if of := opts.Start; of != nil {
		folder.Know(checkpoint.Fact{Name: "the model to start from", Value: of.SHA256})
	}
	err := r.know(docs, stages, opts.decisive())
	if err != nil {
		return err
	}
	r.kept, err = folderChain(folder, docs, "fit", r.Workers)
	if r.kept != nil && r.kept.from.Vocabulary != nil {
		docs.Vocabulary, docs.Inputs = r.kept.from.Vocabulary, r.kept.from.Manifest.Inputs
	}
	return err
}

// know adds the facts that decide the result: the program, the documents and the exported fields of options.
func (r *Run) know(docs *corpus.Corpus, command string, options any) error {
	facts, err := optionFacts(options)
	if err != nil {
		return err
	}
	folder := r.Checkpoint.open()
	folder.Know(checkpoint.Fact{Name: "program", Value: model.Version},
		checkpoint.Fact{Name: "instruction set", Value: kernel.Instructions()},
		checkpoint.Fact{Name: "command", Value: command},
		checkpoint.Fact{Name: "memory limit", Value: fmt.Sprint(r.MemoryLimit)})
	folder.Know(facts...)
	folder.Know(documentFacts(docs)...)
	return nil
}

// folderChain opens a chain of a checkpoint.
func folderChain(folder *checkpoint.Folder, docs *corpus.Corpus, name string, workers int) (k *keeping, err error) {
	k = &keeping{docs: docs, folder: folder, chain: folder.Chain(name)}
	if k.loaded, err = k.chain.Load(); err != nil || k.loaded == nil {
		return k, damaged(folder.Path(), err)
	}
	k.at, k.from.workers = position(k.loaded.Kind), workers
	k.from.checkpoint(&k.loaded.Values)
	if k.at != krylov && k.at != rectifying && k.at != refining { // no stage reads on
		k.loaded.Close()
	}
	if !slices.Contains(positions, k.at) {
		return k, damaged(folder.Path(), fmt.Errorf("%w: it is at %q", checkpoint.ErrDamaged, k.at))
	}
	return k, damaged(folder.Path(), k.loaded.Err())
}

// damaged makes an error of a checkpoint one of an input.
func damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	return &model.InputError{Path: path, Fault: BadCheckpoint, Reason: "cannot be resumed: " + err.Error(), Err: err}
}

// decisive returns the options that decide the result. Diagnostics come last, and several ranks leave them out: one
// process may continue from their state.
func (o Options) decisive() Options {
	o.Run, o.Start, o.Sketch.Mergeable, o.Rectify.Corrections = nil, nil, nil, rectify.Corrections{}
	return o
}

// optionFacts returns a fact for every field of options.
func optionFacts(options any) (facts []checkpoint.Fact, err error) {
	text, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		facts = append(facts, checkpoint.Fact{Name: "option " + name, Value: string(fields[name])})
	}
	return facts, nil
}

// documentFacts returns what identifies the documents of a corpus.
func documentFacts(docs *corpus.Corpus) []checkpoint.Fact {
	a := &docs.Account
	digest := sha256.New()
	for _, in := range docs.Inputs {
		fmt.Fprintf(digest, "%q %s\n", in.Path, in.SHA256) // a hash never fails
	}
	return []checkpoint.Fact{
		{Name: "digest of the inputs", Value: hex.EncodeToString(digest.Sum(nil))},
		{Name: "digest of the vocabulary", Value: a.VocabularySHA256},
		{Name: "documents", Value: fmt.Sprintf("%d with %d entries and %d tokens", a.DocumentsRead, a.Entries, a.Tokens)},
		{Name: "limits of documents", Value: fmt.Sprintf("%d items and %d tokens", a.MinItems, a.MinTokens)},
	}
}

// past reports whether the state to continue from is at a position or beyond it.
func (k *keeping) past(p position) bool {
	return k != nil && k.at != "" && slices.Index(positions, k.at) >= slices.Index(positions, p)
}

// reached says that a stage has ended, with everything that was found in the snapshot. It must stay as it is until
// leave is called. The state of a level that is complete is written at once, so that it is not computed again.
func (k *keeping) reached(p position, s snapshot) {
	if k == nil || k.past(p) {
		return
	}
	k.last = k.chain.Point(string(p), s.checkpoint, nil)
	if p == solved {
		k.last.Finished()
	} else {
		k.last.Reached(nil)
	}
}

// leave says that what was found changes.
func (k *keeping) leave() {
	if k != nil {
		k.last.Leave()
	}
}

// until calls release when no state needs any more what it releases.
func (k *keeping) until(release func()) {
	if k == nil {
		release()
		return
	}
	k.chain.Until(release)
}

// within returns the context of a stage that keeps its own state beside the snapshot.
func (k *keeping) within(ctx context.Context, p position, s snapshot) context.Context {
	if k == nil {
		return ctx
	}
	var loaded *checkpoint.Loaded
	if k.at == p {
		loaded = k.loaded
	}
	return k.chain.Point(string(p), s.checkpoint, loaded).In(ctx)
}
