// This file opens the folder of a run's checkpoint, and removes it.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/internal/collective"
	"anchorage/internal/durable"
)

// Mode says what to do with a checkpoint that exists, or does not.
type Mode string

// The modes. No refuses to begin over a checkpoint, Yes to begin without one; Auto continues one that exists.
const (
	No   Mode = "no"
	Yes  Mode = "yes"
	Auto Mode = "auto"
)

// Modes are all modes.
var Modes = []Mode{No, Yes, Auto}

// Options say how a folder is used. The zero value refuses to begin over a checkpoint, and writes states at the default
// times.
type Options struct {
	Resume  Mode // empty for No
	Restart bool // remove a checkpoint that exists; Resume must then be empty or No
	// Share is the share of the time that goes to the writing of states, at most, unless the last one is older than Every.
	// 0 means DefaultShare and DefaultEvery. With a negative Every, states are written at every point.
	Share float64
	Every time.Duration
	Until time.Time    // when the run will be interrupted; zero if that is not known
	Log   *slog.Logger // receives what is resumed and written; may be nil
}

// The defaults of Options.Share and Options.Every.
const (
	DefaultShare = 0.05
	DefaultEvery = 10 * time.Minute
)

// Fact is something that decides the result of a run: an option, an input, the program. Its name is for people.
type Fact struct{ Name, Value string }

// Folder is the checkpoint of a run.
type Folder struct {
	ctx     context.Context  // once it is done, states are no longer read, nor written but by Interrupted
	ranks   *collective.Comm // that use the folder together; nil for one process
	path    string
	options Options
	lock    *durable.Lock // nil unless it is held: rank 0 of several holds it for all
	facts   []Fact
	chains  []*Chain
}

// Open opens the checkpoint at path, a folder of this machine, and locks it. The folder above it must exist. The error
// wraps ErrUnfinished or ErrMissing where a checkpoint exists, or does not, against o.Resume, and durable.ErrLocked if
// another run uses it. Once ctx is done, the reading and writing of states, which may take seconds, ends.
//
// If ctx is that of one of several ranks, all must open it. The folder is on the machine of rank 0.
func Open(ctx context.Context, path string, o Options) (*Folder, error) {
	path = filepath.Clean(path)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Share, o.Every = cmp.Or(o.Share, DefaultShare), cmp.Or(o.Every, DefaultEvery)
	f := &Folder{ctx: ctx, ranks: collective.From(ctx), path: path, options: o}
	var err error
	if f.ranks.First() {
		err = f.hold()
	}
	if err := collective.ShareError(ctx, f.ranks, err, known...); err != nil {
		f.give()
		return nil, err
	}
	return f, nil
}

// hold locks the folder, which must be as the options say.
func (f *Folder) hold() error {
	o := &f.options
	found, err := Exists(f.path)
	switch {
	case err != nil:
		return err
	case found && !o.Restart && o.Resume != Yes && o.Resume != Auto:
		return &collective.CausedError{Text: f.path + " is the checkpoint of an unfinished run", Cause: ErrUnfinished}
	case !found && o.Resume == Yes:
		return &collective.CausedError{Text: f.path + " does not exist: there is nothing to resume", Cause: ErrMissing}
	}
	if f.lock, err = durable.HoldFolder(f.path); err != nil {
		return err
	}
	return f.clean(o.Restart)
}

// give gives the lock back.
func (f *Folder) give() {
	f.lock.Unlock()
	f.lock = nil
}

// Exists reports whether there is a checkpoint at path: a file, or a folder that holds a state.
func Exists(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.IsDir() {
		return err == nil, err
	}
	entries, err := os.ReadDir(path)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), stateEnding) }), err
}

// clean removes what a process that was killed had not finished, or everything.
func (f *Folder) clean(all bool) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if all || strings.HasPrefix(e.Name(), ".") || e.Name() == saving {
			if err := os.RemoveAll(filepath.Join(f.path, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

type folderKey struct{}

// In returns a context that carries the folder to where documents are read.
func (f *Folder) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, folderKey{}, f)
}

// FolderOf returns the folder that a context carries; nil without one.
func FolderOf(ctx context.Context) *Folder {
	f, _ := ctx.Value(folderKey{}).(*Folder)
	return f
}

// Path returns the path of the folder. Runs may put their working files there.
func (f *Folder) Path() string {
	if f == nil {
		return ""
	}
	return f.path
}

// Know adds facts; one of a name that is known is not added again. States that are written from now on record them, and
// states that are loaded must agree with all that are known then.
func (f *Folder) Know(facts ...Fact) {
	if f == nil {
		return
	}
	for _, fact := range facts {
		if !slices.ContainsFunc(f.facts, func(known Fact) bool { return known.Name == fact.Name }) {
			f.facts = append(f.facts, fact)
		}
	}
}

// differs returns an error about the first fact that has changed.
func (f *Folder) differs(then []Fact) error {
	was := make(map[string]string, len(then))
	for _, fact := range then {
		was[fact.Name] = fact.Value
	}
	for _, fact := range f.facts {
		if value, known := was[fact.Name]; !known || value != fact.Value {
			return Changed(fact.Name, value, fact.Value)
		}
		delete(was, fact.Name)
	}
	for _, fact := range then {
		if value, left := was[fact.Name]; left {
			return Changed(fact.Name, value, "")
		}
	}
	return nil
}

// Interrupted reports whether the folder holds a state from which a run that err has ended can continue. After an
// interrupt it first writes the state of the last point, where the stage has not left it and writing takes less than a
// second. Several ranks write nothing; only rank 0 of them knows what the folder holds. After any end, Interrupted
// releases what states were held until then (Chain.Until).
func (f *Folder) Interrupted(err error) bool {
	if f == nil {
		return false
	}
	defer f.release()
	if !errors.Is(err, context.Canceled) || !f.ranks.First() {
		return false
	}
	for _, c := range f.chains {
		// Several ranks cannot, since an interrupt may have ended some of them.
		if c.pending != nil && f.ranks.Size() == 1 && c.cost(c.bytes) <= flushTime {
			c.pending(context.WithoutCancel(f.ctx))
		}
		c.pending = nil
	}
	found, _ := Exists(f.path)
	return found
}

// release releases what Until holds.
func (f *Folder) release() {
	for _, c := range f.chains {
		for _, release := range c.held {
			release()
		}
		c.held = nil
	}
}

// saving is the file that says that the result is about to be put at its place.
const saving = "saving"

// Saving notes that the result, which may have a name, is about to be put at its place. If the process dies before
// Remove and the result is there, Clear removes the folder.
func (f *Folder) Saving(result string) error {
	if f == nil || !f.ranks.First() {
		return nil
	}
	return durable.WriteFile(filepath.Join(f.path, saving), func(to io.Writer) error {
		_, err := io.WriteString(to, result)
		return err
	})
}

// Clear removes the checkpoint at path if its run died after Saving, the result is at its place, as made reports by its
// name, and no other run uses it. A nil made says that it is.
func Clear(path string, made func(result string) bool) error {
	durable.Sweep(filepath.Dir(path)) // a run may have died while it removed its checkpoint
	result, err := os.ReadFile(filepath.Join(path, saving))
	if err != nil || made != nil && !made(string(result)) {
		return nil // there is nothing to clear
	}
	lock, err := durable.HoldFolder(path)
	if errors.Is(err, durable.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return durable.Discard(path)
}

// Close gives the folder up. It removes it if it holds no state.
func (f *Folder) Close() error {
	if f == nil || f.lock == nil {
		return nil
	}
	if found, err := Exists(f.path); err == nil && !found {
		return f.Remove()
	}
	f.give()
	return nil
}

// Remove removes the folder: the run is complete.
func (f *Folder) Remove() error {
	if f == nil || f.lock == nil {
		return nil
	}
	defer f.give()
	return durable.Discard(f.path)
}
