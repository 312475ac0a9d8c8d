// This file opens stores for writing.

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/sealed"
	"anchorage/model"
)

// Options are those of a Writer.
type Options struct {
	Workers int // goroutines that decode shards; 0 for one per processor
	// Warn is told of requests to an object store that are tried again; it may be nil.
	Warn func(path string, attempt int, pause time.Duration, err error)
	// Log receives what is read and left out; it may be nil. Progress, if not nil, is called as shards are read, with
	// their bytes.
	Log      *slog.Logger
	Progress func(stage string, done, total int64)
	// PassDamaged opens a store whose newest states are damaged in the newest one that is not, for Rollback.
	PassDamaged bool
}

// Writer changes a store. Nothing that it writes counts before Commit. The caller must Close it.
type Writer struct {
	Store
	options Options
	lock    *durable.Lock // nil for a store at a URL, and until there is a store
	made    bool          // there is a store at Path
	passed  bool          // a damaged state was passed over
	cleared []string      // temporary files of dead runs that are removed

	vocabulary *corpus.Vocabulary // nil until it is needed
	segments   []Segment
}

// Begin opens the store at path for writing; there may be none yet. Of several writers on this machine, one gets the
// store: the error of the others wraps durable.ErrLocked. In an object store, all but the first to Commit fail.
func Begin(ctx context.Context, path string, opts Options) (*Writer, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	path, err := onDisk(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{Store: Store{Path: path, State: &State{}}, options: opts}
	found, err := Is(ctx, path)
	if err != nil || !found {
		return w, err
	}
	return w, w.enter(ctx)
}

// enter locks the store, reads its state, and removes what dead runs left.
func (w *Writer) enter(ctx context.Context) (err error) {
	if !objects.IsURL(w.Path) {
		if w.lock, err = durable.LockDir(w.Path); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	s, err := Open(ctx, w.Path)
	if errors.As(err, new(*Error)) && w.options.PassDamaged {
		s, err = w.passDamaged(ctx, err)
	}
	if err != nil {
		return err
	}
	w.State, w.made = s.State, true
	if objects.IsURL(w.Path) {
		return nil
	}
	for _, folder := range folders {
		if err := durable.MakeDir(w.folder(folder)); err != nil {
			return err
		}
	}
	w.point()
	w.cleared, err = w.clear(ctx)
	return err
}

// passDamaged opens the store in its newest readable state, after Open failed. It returns the error of Open if there is
// none.
func (w *Writer) passDamaged(ctx context.Context, failed error) (*Store, error) {
	numbers, err := numbersIn(ctx, w.folder(statesFolder), ".json")
	if err != nil {
		return nil, err
	}
	for _, number := range slices.Backward(numbers) {
		state, err := readState(ctx, w.Path, number)
		if err == nil {
			w.passed = true
			return &Store{Path: w.Path, State: state}, nil
		}
		if !errors.As(err, new(*Error)) {
			return nil, err
		}
	}
	return nil, failed
}

// Close gives the store back to other writers.
func (w *Writer) Close() {
	w.lock.Unlock()
	w.lock = nil
}

// make makes the store, if there is none.
func (w *Writer) make(ctx context.Context) error {
	if w.made {
		return nil
	}
	found, err := Is(ctx, w.Path)
	if err != nil {
		return err
	}
	if !found {
		if err := w.mark(ctx); err != nil {
			return err
		}
	}
	if err := w.enter(ctx); err != nil {
		return err
	}
	if w.State.Number > 0 {
		return &Error{Path: w.Path, Fault: Outdated, Reason: "was made by another run meanwhile", Err: durable.ErrLocked}
	}
	return nil
}

// mark writes store.json into a new or empty folder.
func (w *Writer) mark(ctx context.Context) error {
	if err := w.vacant(ctx); err != nil {
		return err
	}
	if !objects.IsURL(w.Path) {
		if err := durable.MakeDir(w.Path); err != nil {
			return err
		}
	}
	content, err := sealed.Encode(mark{Kind: kind, Layout: layoutVersion, Program: model.Version})
	if err != nil {
		return err
	}
	err = putNew(ctx, objects.Join(w.Path, markFile), content, w.options.Warn)
	if errors.Is(err, durable.ErrExists) {
		return nil // another run was faster
	}
	return err
}

// vacant returns an error if something other than a store is at the path.
func (w *Writer) vacant(ctx context.Context) error {
	if !objects.IsURL(w.Path) {
		info, err := os.Stat(w.Path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, link := os.Lstat(w.Path); link == nil {
				return &Error{Path: w.Path, Fault: Dangling, Reason: "is a link to nothing"}
			}
			if _, err := os.Stat(filepath.Dir(filepath.Clean(w.Path))); err != nil {
				return &Error{Path: w.Path, Fault: Dangling, Reason: "cannot be made, for its folder does not exist", Err: err}
			}
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &Error{Path: w.Path, Fault: NotAStore, Reason: "is a file, not a store"}
		}
	}
	names, err := namesIn(ctx, w.Path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isTemporary(name) && name != markFile {
			return &Error{Path: w.Path, Fault: NotAStore, Reason: fmt.Sprintf("is not a store, and not empty: it has %s", name)}
		}
	}
	return nil
}

// isTemporary reports whether a name is that of a file or folder that is being written: .NAME.RANDOM.tmp,
// .NAME.RANDOM.anchorage-tmp, .NAME.anchorage-partial or, in an object store, .NAME.partial-RANDOM.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && (strings.HasSuffix(name, "tmp") || strings.HasSuffix(name, "partial") ||
		strings.Contains(name, ".partial-"))
}

// clear removes the temporary files of dead runs, and returns their paths. In a store of this machine the lock says
// that whoever wrote them is dead.
func (w *Writer) clear(ctx context.Context) (removed []string, err error) {
	for _, folder := range append([]string{"."}, folders...) {
		path := w.folder(folder)
		if folder == "." {
			path = w.Path
		}
		names, err := namesIn(ctx, path)
		if err != nil {
			return removed, err
		}
		for _, name := range names {
			if !isTemporary(name) {
				continue
			}
			doomed := objects.Join(path, name)
			if objects.IsURL(doomed) {
				err = removeAll(ctx, doomed, w.options.Warn)
			} else {
				err = durable.RemoveTemporary(doomed)
			}
			if err != nil {
				return removed, err
			}
			removed = append(removed, doomed)
		}
	}
	return removed, nil
}
