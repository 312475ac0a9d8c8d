// This file commits directories to object stores.

package output

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
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
	// A claim is a lease: a commit ends within leaseTime, and a second for every leaseRate bytes. Clocks may differ by
	// leaseSkew: stores refuse requests of a machine whose clock is further off.
	leaseTime = 10 * time.Minute
	leaseRate = 1 << 20
	leaseSkew = 15 * time.Minute
)

// settleTime is how long a run waits, after it has taken over a claim, for others that do the same: the last one holds
// it.
var settleTime = 3 * time.Second

// claim is the content of the claim: who holds it until when, and what that run may have written below the directory.
type claim struct {
	Token   string    `json:"token"` // unlike that of any other run
	Expires time.Time `json:"expires"`
	Files   []string  `json:"files"`
}

// dead reports whether the run that holds the claim has ended, by a kill, since its lease is over.
func (c *claim) dead() bool { return !c.Expires.IsZero() && time.Since(c.Expires) > leaseSkew }

// stored is a directory of an object store that a run is writing.
type stored struct {
	place objects.Place
	// Stores cannot rename folders. The files lie below temporary until all of them are there.
	temporary objects.Place
	claim     claim
	taken     *claim // of a dead run, that this one has taken over; nil for none
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
	s := &stored{place: place, claim: claim{Token: token}, warn: warn,
		temporary: place.Beside("." + place.Name() + ".partial-" + token)}
	if err := s.vacant(ctx); err != nil {
		return nil, err
	}
	return durable.Stage(func(folder string) error { return s.publish(ctx, folder) })
}

// vacant returns an error that wraps ErrExists if there is anything below the place but this run's claim, or what a run
// left that died while it committed.
func (s *stored) vacant(ctx context.Context) error {
	var left []string
	err := objects.List(ctx, s.place.Below(""), s.warn, func(info objects.Info) error {
		left = append(left, strings.TrimPrefix(info.Key, s.place.Below("").Key))
		return nil
	})
	at := slices.Index(left, claimName)
	if err != nil || len(left) == 0 {
		return err
	}
	if slices.Contains(left, durable.Success) {
		return fmt.Errorf("%s: %w", s.place, durable.ErrExists)
	}
	known := s.taken
	if at >= 0 && known == nil {
		if known, err = s.checkClaim(ctx); err != nil {
			return err
		}
	}
	for i, name := range left {
		if i != at && (known == nil || !slices.Contains(known.Files, name)) {
			return fmt.Errorf("%s: %w: it holds %s", s.place, durable.ErrExists, name)
		}
	}
	return nil
}

// checkClaim returns nil if the claim is this run's, and the claim of a dead run. The error wraps ErrLocked if another
// run holds it.
func (s *stored) checkClaim(ctx context.Context) (*claim, error) {
	text, err := objects.ReadFile(ctx, s.place.Below(claimName).String())
	if errors.Is(err, fs.ErrNotExist) { // the other run has ended just now
		return nil, fmt.Errorf("%s: %w", s.place, durable.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	var found claim
	if json.Unmarshal(text, &found) != nil {
		return nil, fmt.Errorf("%s: %w, or died while it committed; if it died, remove what is there", s.place,
			durable.ErrLocked)
	}
	switch {
	case found.Token == s.claim.Token:
		return nil, nil
	case !found.dead():
		return nil, fmt.Errorf("%s: %w, or died while it committed; after %s it is taken for dead", s.place,
			durable.ErrLocked, found.Expires.Add(leaseSkew).Format(time.RFC3339))
	}
	return &found, nil
}

// publish makes the files of a folder of this machine the directory at s.place. After an error it removes what it
// wrote, as far as the store answers within undoTime.
func (s *stored) publish(ctx context.Context, folder string) error {
	names, size, err := regularFiles(folder)
	if err != nil {
		return err
	}
	err = s.upload(ctx, folder, names)
	if err == nil {
		err = s.commit(context.WithoutCancel(ctx), folder, names, leaseTime+time.Duration(size/leaseRate)*time.Second)
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
// Until the third step whoever reads the directory finds no _SUCCESS. A run that dies leaves its claim, which lists
// what it may have written: when its lease is over, the next run takes over the claim, and removes that first.
func (s *stored) commit(ctx context.Context, folder string, names []string, lease time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	s.claim.Expires, s.claim.Files = time.Now().Add(lease).UTC().Truncate(time.Second), names
	if err := s.hold(ctx); err != nil {
		return err
	}
	if err := s.vacant(ctx); err != nil {
		return err
	}
	for _, name := range names {
		from, to := s.temporary.Below(name), s.place.Below(name)
		if err := s.still(ctx); err != nil {
			return err
		}
		s.made = append(s.made, to)
		if err := objects.Move(ctx, from, to, filepath.Join(folder, name), s.warn); err != nil {
			return err
		}
	}
	if err := s.still(ctx); err != nil {
		return err
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

// hold creates the claim, or takes over that of a dead run.
func (s *stored) hold(ctx context.Context) error {
	text, err := json.Marshal(s.claim)
	if err != nil {
		return err
	}
	mark := s.place.Below(claimName)
	err = objects.Put(ctx, mark, text, s.warn)
	if errors.Is(err, objects.ErrUnconditional) { // it was written
		s.made = append(s.made, mark)
		return err
	}
	if err != nil {
		// Perhaps it was written and the answer got lost: then the claim is this run's after all.
		dead, checking := s.checkClaim(ctx)
		switch {
		case checking != nil && errors.Is(err, fs.ErrExist):
			return checking
		case checking != nil:
			return err
		case dead != nil:
			return s.takeOver(ctx, dead)
		}
	}
	s.made = append(s.made, mark)
	return nil
}

// takeOver puts this run's claim in place of that of a dead run, and removes what that has left.
func (s *stored) takeOver(ctx context.Context, dead *claim) error {
	if err := s.vacant(ctx); err != nil { // of anything else
		return err
	}
	s.claim.Files = append(slices.Clone(s.claim.Files), dead.Files...) // for whoever takes over from this run
	text, err := json.Marshal(s.claim)
	if err != nil {
		return err
	}
	s.taken = dead
	mark := s.place.Below(claimName)
	if err := objects.Overwrite(ctx, mark, text, s.warn); err != nil {
		return err
	}
	s.made = append(s.made, mark)
	time.Sleep(settleTime)
	temporary := s.place.Beside("." + s.place.Name() + ".partial-" + dead.Token)
	for _, name := range dead.Files {
		err := s.still(ctx)
		for _, place := range []objects.Place{s.place.Below(name), temporary.Below(name)} {
			if err == nil {
				err = objects.Remove(ctx, place, s.warn)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// still checks that a claim that was taken over is still this run's: another run may have done the same. What is below
// the directory is that run's then.
func (s *stored) still(ctx context.Context) error {
	if s.taken == nil {
		return nil
	}
	dead, err := s.checkClaim(ctx)
	if dead != nil {
		err = fmt.Errorf("%s: %w", s.place, durable.ErrLocked)
	}
	if errors.Is(err, durable.ErrLocked) {
		s.made = slices.DeleteFunc(s.made, func(p objects.Place) bool { return !strings.HasPrefix(p.Key, s.temporary.Key) })
	}
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
// as complete comes last. size is that of all.
func regularFiles(folder string) (names []string, size int64, err error) {
	err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		names = append(names, filepath.ToSlash(name))
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	marks := func(name string) int {
		if path.Base(name) == durable.Success {
			return 1
		}
		return 0
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(marks(a), marks(b)), cmp.Compare(a, b)) })
	return names, size, err
}
