// This file commits directories to object stores.

package output

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

const (
	// claimName is the name of the object by which a run claims a directory. Of several runs only one can create it.
	claimName = "_COMMITTING"
	// undoTime is how long a failed commit may take to remove what it wrote.
	undoTime = time.Minute
)

// stored is a directory of an object store that a run is writing.
type stored struct {
	place objects.Place
	// Stores cannot rename folders. The files lie below temporary until all of them are there.
	temporary objects.Place
	token     string // content of the claim, unlike that of any other run
	warn      objects.Warn
	made      []objects.Place // what this run may have written, in this order
}

// createStored is Create for a URL.
func createStored(ctx context.Context, path string, warn objects.Warn) (*durable.Dir, error) {
	place, err := objects.Parse(path)
	if err != nil {
		return nil, err
	}
	place = place.At(strings.TrimRight(place.Key, "/"))
	if place.Key == "" {
		return nil, fmt.Errorf("%s is a whole bucket: name a folder in it", path)
	}
	token := rand.Text()
	s := &stored{place: place, token: token, warn: warn, temporary: place.Beside("." + place.Name() + ".partial-" + token)}
	if err := s.vacant(ctx); err != nil {
		return nil, err
	}
	return durable.Stage(func(folder string) error { return s.publish(ctx, folder) })
}

// vacant returns an error that wraps ErrExists if there is anything below the place but this run's claim.
func (s *stored) vacant(ctx context.Context) error {
	return objects.List(ctx, s.place.Below(""), s.warn, func(info objects.Info) error {
		if info.Key == s.place.Below(claimName).Key {
			return s.checkClaim(ctx)
		}
		return fmt.Errorf("%s: %w", s.place, durable.ErrExists)
	})
}

// checkClaim returns an error that wraps ErrLocked unless the claim is this run's.
func (s *stored) checkClaim(ctx context.Context) error {
	token, err := objects.ReadFile(ctx, s.place.Below(claimName).String())
	switch {
	case errors.Is(err, fs.ErrNotExist): // the other run has ended just now
		return fmt.Errorf("%s: %w", s.place, durable.ErrLocked)
	case err != nil:
		return err
	case string(token) != s.token:
		return fmt.Errorf("%s: %w, or died while it committed; if it died, remove what is there", s.place, durable.ErrLocked)
	}
	return nil
}

// publish makes the files of a folder of this machine the directory at s.place. After an error it removes what it
// wrote, as far as the store answers within undoTime.
func (s *stored) publish(ctx context.Context, folder string) error {
	names, err := regularFiles(folder)
	if err != nil {
		return err
	}
	err = s.upload(ctx, folder, names)
	if err == nil {
		err = s.commit(context.WithoutCancel(ctx), folder, names)
	}
	if err == nil {
		return nil
	}
	if left := s.undo(context.WithoutCancel(ctx)); left != nil {
		return fmt.Errorf("%w; and what was written could not be removed: %v", err, left)
	}
	return err
}

// upload writes every file to a temporary key. It ends when ctx is cancelled.
func (s *stored) upload(ctx context.Context, folder string, names []string) error {
	for _, name := range names {
		place := s.temporary.Below(name)
		s.made = append(s.made, place)
		if err := objects.Upload(ctx, place, filepath.Join(folder, name), s.warn); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// commit makes uploaded files the directory:
//
//  1. it creates the claim on the condition that it does not exist, and checks that nothing else is there,
//  2. moves every file to its final key,
//  3. removes the claim,
//  4. creates _SUCCESS on the condition that it does not exist.
//
// Until the last step whoever reads the directory finds no _SUCCESS.
func (s *stored) commit(ctx context.Context, folder string, names []string) error {
	if err := s.claim(ctx); err != nil {
		return err
	}
	if err := s.vacant(ctx); err != nil {
		return err
	}
	for _, name := range names {
		from, to := s.temporary.Below(name), s.place.Below(name)
		s.made = append(s.made, to)
		if err := objects.Move(ctx, from, to, filepath.Join(folder, name), s.warn); err != nil {
			return err
		}
	}
	if err := objects.Remove(ctx, s.place.Below(claimName), s.warn); err != nil {
		return err
	}
	success := s.place.Below(durable.Success)
	err := objects.Put(ctx, success, nil, s.warn)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		s.made = append(s.made, success) // perhaps it was written and the answer got lost
	}
	return err
}

// claim creates the claim.
func (s *stored) claim(ctx context.Context) error {
	mark := s.place.Below(claimName)
	err := objects.Put(ctx, mark, []byte(s.token), s.warn)
	if errors.Is(err, objects.ErrUnconditional) { // it was written
		s.made = append(s.made, mark)
		return err
	}
	if err != nil {
		// Perhaps it was written and the answer got lost: then the claim is this run's after all.
		checking := s.checkClaim(ctx)
		if checking != nil && errors.Is(err, fs.ErrExist) {
			return checking
		}
		if checking != nil {
			return err
		}
	}
	s.made = append(s.made, mark)
	return nil
}

// undo removes what this run wrote. The last object goes first: _SUCCESS before the files that it vouches for, and the
// claim after the files that it protects.
func (s *stored) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	var first error
	for _, place := range slices.Backward(s.made) {
		if err := objects.Remove(ctx, place, s.warn); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// regularFiles returns the names of the files below a folder, in order, with slashes. What marks a directory within it
// as complete comes last.
func regularFiles(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	marks := func(name string) int {
		if path.Base(name) == durable.Success {
			return 1
		}
		return 0
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(marks(a), marks(b)), cmp.Compare(a, b)) })
	return names, err
}
