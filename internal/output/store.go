// This file commits directories to object stores.

package output

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
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
	token     string // the content of this run's claim, unlike that of any other run
	claimed   bool
	warn      objects.Warn
	made      []objects.Place // what this run may have written, in this order
}

// createStored is Begin for a URL.
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
	s := &stored{place: place, token: token, warn: warn,
		temporary: place.Beside("." + place.Name() + ".partial-" + token)}
	if err := s.vacant(ctx); err != nil {
		return nil, err
	}
	return durable.Stage(func(folder string) error { return s.publish(ctx, folder) })
}

// vacant returns an error if there is anything below the place but this run's claim. It wraps ErrLocked for a claim of
// another run, which may have died, and ErrExists otherwise.
func (s *stored) vacant(ctx context.Context) error {
	var other, claimed string
	complete := false
	err := objects.List(ctx, s.place.Below(""), s.warn, func(info objects.Info) error {
		switch name := strings.TrimPrefix(info.Key, s.place.Below("").Key); name {
		case durable.Success:
			complete = true
		case claimName:
			claimed = info.Modified.UTC().Format(time.RFC3339)
		default:
			other = cmp.Or(other, name)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case complete:
		return fmt.Errorf("%s: %w", s.place, durable.ErrExists)
	case claimed != "" && !s.claimed:
		return fmt.Errorf("%s: %w since %s; if that run died, remove what is there", s.place, durable.ErrLocked, claimed)
	case other != "":
		return fmt.Errorf("%s: %w: it holds %s", s.place, durable.ErrExists, other)
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
//  3. creates _SUCCESS on the condition that it does not exist,
//  4. removes the claim.
//
// Until the third step whoever reads the directory finds no _SUCCESS. A run that dies leaves its claim, which keeps
// later runs away until somebody removes it: no clock can prove that a run on another machine is dead.
func (s *stored) commit(ctx context.Context, folder string, names []string) error {
	if err := s.hold(ctx); err != nil {
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
	success := s.place.Below(durable.Success)
	if err := objects.Put(ctx, success, nil, s.warn); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			s.made = append(s.made, success) // perhaps it was written and the answer got lost
		}
		return err
	}
	objects.Remove(ctx, s.place.Below(claimName), s.warn) // what stays beside _SUCCESS is in nobody's way
	return nil
}

// hold creates the claim. The error is that of vacant if another run holds it.
func (s *stored) hold(ctx context.Context) error {
	mark := s.place.Below(claimName)
	err := objects.Put(ctx, mark, []byte(s.token), s.warn)
	if errors.Is(err, fs.ErrExist) {
		return cmp.Or(s.vacant(ctx), fmt.Errorf("%s: %w", s.place, durable.ErrLocked)) // or that run has ended just now
	}
	if err != nil && !errors.Is(err, objects.ErrUnconditional) {
		// Perhaps it was written and the answer got lost: then the claim is this run's after all.
		if found, reading := objects.ReadFile(ctx, mark.String()); reading != nil || string(found) != s.token {
			return err
		}
		err = nil
	}
	s.claimed, s.made = true, append(s.made, mark)
	return err
}

// undo removes what this run wrote. The last object goes first: _SUCCESS before the files that it vouches for, and the
// claim after the files that it protects.
func (s *stored) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	var first error
	for _, place := range slices.Backward(s.made) {
		first = cmp.Or(first, objects.Remove(ctx, place, s.warn))
	}
	return first
}

// regularFiles returns the names of the files below a folder, in order, with slashes. What marks a directory within it
// as complete comes last.
func regularFiles(folder string) (names []string, err error) {
	var marks []string
	err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if entry.Name() == durable.Success {
			marks = append(marks, filepath.ToSlash(name))
		} else {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	return append(names, marks...), err
}
