// This file opens stores for reading, updates one in one call, and defines the errors about stores.

package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/model/fit"
	"anchorage/shard"
)

// Store is a store in its current state.
type Store struct {
	Path  string
	State *State // of number 0, without shards and generations, if there was no update yet
}

// mark is the content of store.json.
type mark struct {
	Kind    string `json:"kind"`
	Layout  int    `json:"layout"`
	Program string `json:"program"`
}

// kind is the kind of directory that a store is.
const kind = "anchorage/store"

// Is reports whether there is a store at path, which may be a URL.
func Is(ctx context.Context, path string) (bool, error) {
	path, err := onDisk(path)
	if err != nil {
		return false, err
	}
	found, err := objects.Exists(ctx, objects.Join(path, markFile))
	var place *fs.PathError
	if errors.As(err, &place) { // path is a file, or cannot be looked into
		return false, nil
	}
	return found, err
}

// Open opens the store at path, which may be a URL, in its current state. The error is an *Error if there is none, or
// if its state is damaged.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := onDisk(path)
	if err != nil {
		return nil, err
	}
	s := &Store{Path: path}
	if err := s.checkMark(ctx); err != nil {
		return nil, err
	}
	for last := 0; ; {
		numbers, err := numbersIn(ctx, s.folder(statesFolder), ".json")
		if err != nil {
			return nil, err
		}
		if len(numbers) == 0 {
			s.State = &State{Layout: layoutVersion}
			return s, nil
		}
		number := numbers[len(numbers)-1]
		s.State, err = readState(ctx, path, number)
		if errors.Is(err, fs.ErrNotExist) && number > last {
			last = number // an update has written a later state meanwhile, and removed this one
			continue
		}
		return s, err
	}
}

// checkMark reads store.json.
func (s *Store) checkMark(ctx context.Context) error {
	data, err := objects.ReadFile(ctx, objects.Join(s.Path, markFile))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &Error{Path: s.Path, Fault: NotAStore, Reason: "is not a store: it has no " + markFile, Err: err}
		}
		return err
	}
	var m mark
	if err := json.Unmarshal(data, &m); err != nil || m.Kind != kind {
		return &Error{Path: s.Path, Fault: NotAStore, Reason: "is not a store: its " + markFile + " is not that of one"}
	}
	if m.Layout != layoutVersion {
		return otherLayout(s.Path, m.Layout)
	}
	return nil
}

// folder returns the path of a folder of the store.
func (s *Store) folder(name string) string { return objects.Join(s.Path, name) }

// shardFolder returns the path of a shard's folder.
func (s *Store) shardFolder(sha256 string) string {
	return objects.Join(s.folder(shardsFolder), sha256)
}

// GenerationPath returns the path of the model of a generation.
func (s *Store) GenerationPath(number int) string {
	return objects.Join(s.folder(generationFolder), numbered(number, ""))
}

// Model returns the path of the model of the current generation. The error is an *Error if there is none.
func (s *Store) Model() (string, error) {
	if s.State.Generation == 0 {
		return "", &Error{Path: s.Path, Fault: NoGeneration, Reason: "has no model yet: no update of it was completed"}
	}
	return s.GenerationPath(s.State.Generation), nil
}

// UseModel opens the store at path and returns the path of the model of its current generation, which no update of a
// store of this machine removes before release is called or the process ends.
func UseModel(ctx context.Context, path string) (model string, release func(), err error) {
	for last := 0; ; {
		s, err := Open(ctx, path)
		if err != nil {
			return "", nil, err
		}
		if model, err = s.Model(); err != nil || objects.IsURL(model) {
			return model, func() {}, err
		}
		lock, err := durable.ShareDir(model)
		if errors.Is(err, fs.ErrNotExist) && s.State.Number > last {
			last = s.State.Number // an update has made another generation meanwhile
			continue
		}
		if err != nil {
			return model, func() {}, nil // reading the model says what is wrong
		}
		return model, lock.Unlock, nil
	}
}

// Made returns when a generation was begun, in UTC. The error is an *model.InputError if its record of the run cannot
// be read.
func (s *Store) Made(ctx context.Context, g Generation) (time.Time, error) {
	record, err := fit.ReadRun(ctx, s.GenerationPath(g.Number))
	if err != nil {
		return time.Time{}, err
	}
	return record.Started.UTC(), nil
}

// Fault is the kind of fault of a store, or of what it was asked.
type Fault int

// The faults that callers distinguish.
const (
	OtherFault   Fault = iota
	NotAStore          // nothing at the path, or something else
	Damaged            // a file is not what was written
	Undated            // a window is asked for, and a shard has no date
	NoMatch            // no shard has the name that is to be removed
	NoGeneration       // the store has no such generation
	Outdated           // another run has updated the store meanwhile
	Unnamed            // a shard has no name to be known by
	Emptied            // a given shard is so late that all shards of the store would leave the window
	BadDate            // a date, a pattern of dates or a span of days is malformed
	Dangling           // the path is a link that leads to nothing, or its folder does not exist
)

// Error reports that a store cannot do what it was asked.
type Error struct {
	Path   string // of the store, the file in it, or the shard
	Reason string
	Fault  Fault
	Err    error // the cause; may be nil
}

// Error names the path and what is wrong with it.
func (e *Error) Error() string { return e.Path + " " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// overtaken returns what it means that an output of a store was there, or held: another run is updating the store.
// Other errors stay.
func overtaken(path string, err error) error {
	if !errors.Is(err, durable.ErrExists) && !errors.Is(err, durable.ErrLocked) {
		return err
	}
	return &Error{Path: path, Fault: Outdated, Reason: "is being updated by another run",
		Err: fmt.Errorf("%w: %w", durable.ErrLocked, err)}
}

// damaged returns an *Error about a file that is not what was written.
func damaged(path, format string, args ...any) error {
	return &Error{Path: path, Fault: Damaged, Reason: "is damaged: " + fmt.Sprintf(format, args...)}
}

// otherLayout returns an *Error about a layout that this program does not read.
func otherLayout(path string, layout int) error {
	return &Error{Path: path,
		Reason: fmt.Sprintf("has layout %d, but this program reads layout %d", layout, layoutVersion)}
}

// DefaultRetain is the number of generations that stay if GenerateOptions.Retain is 0.
const DefaultRetain = 7

// UpdateOptions are those of the steps of an update.
type UpdateOptions struct {
	Options
	Plan     PlanOptions
	Add      AddOptions
	Generate GenerateOptions // a nil Fit.Run means a new Run
}

// Update adds shards to the store at path, which it makes if there is none, and learns a new generation of its model:
// Begin, Writer.Plan, Writer.Add and Writer.Generate. Give all shards every night, or only the new ones. With nothing
// new it returns nil.
func Update(ctx context.Context, path string, shards []shard.Shard, opts UpdateOptions) (*Generated, error) {
	if opts.Generate.Fit.Run == nil {
		opts.Generate.Fit.Run = &fit.Run{Workers: opts.Workers, Log: opts.Log, Progress: opts.Progress}
	}
	w, err := Begin(ctx, path, opts.Options)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	plan, err := w.Plan(ctx, shards, opts.Plan)
	if err != nil || plan.Nothing() && w.State.Generation > 0 {
		return nil, err
	}
	added, err := w.Add(ctx, plan, opts.Add)
	if err != nil {
		return nil, err
	}
	return w.Generate(ctx, plan, added, opts.Generate)
}
