// This file writes directories and files to object stores.

package durable

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/internal/objects"
)

// claim is the name of the object that a run puts into a directory before anything else. Of several runs one succeeds.
const claim = "_COMMITTING"

// remote is a directory of an object store.
type remote struct {
	place objects.Place
	// Objects are not renamed with their folder. What is uploaded lies below temporary until all of it is there.
	temporary objects.Place
	token     string // tells this run from others
}

// createRemote is Create for a URL.
func createRemote(path string) (*Dir, error) {
	place, err := objects.Parse(path)
	if err != nil {
		return nil, err
	}
	place = place.At(strings.TrimRight(place.Key, "/"))
	if place.Key == "" {
		return nil, fmt.Errorf("%s is a whole bucket: name a folder in it", path)
	}
	token := rand.Text()
	r := &remote{place: place, token: token, temporary: place.Beside("." + place.Name() + ".partial-" + token)}
	if err := r.vacant(); err != nil {
		return nil, err
	}
	d := &Dir{path: path, remote: r}
	d.temporary, err = os.MkdirTemp("", "anchorage-output-")
	return d, err
}

// vacant returns ErrExists if there is anything below the place, apart from this run's claim.
func (r *remote) vacant() error {
	return objects.List(context.Background(), r.place.Below(""), warn, func(info objects.Info) error {
		if info.Name() == claim && info.Key == r.place.Below(claim).Key {
			return r.checkClaim()
		}
		return fmt.Errorf("%s: %w", r.place, ErrExists)
	})
}

// checkClaim returns ErrLocked if the claim is another run's.
func (r *remote) checkClaim() error {
	token, err := objects.ReadFile(context.Background(), r.place.Below(claim).String())
	if err == nil && string(token) != r.token {
		return fmt.Errorf("%s: %w, or was stopped in its last step; then remove what is there", r.place, ErrLocked)
	}
	return err
}

// commit makes the files of a directory of this machine the directory at r.place:
//
//  1. every file is uploaded below a temporary key beside the place,
//  2. the claim is created there on the condition that there is none, and nothing else may be there,
//  3. every file is copied to its final key,
//  4. the claim and the temporary objects are removed,
//  5. _SUCCESS is created on the condition that there is none.
//
// After an error nothing is left behind, as far as the store can be reached. Whoever reads the place before the end finds
// no _SUCCESS. There is no turning back once a run is committing, so nothing here is cancelled.
func (r *remote) commit(from string) (err error) {
	ctx := context.Background()
	names, err := regularFiles(from)
	if err != nil {
		return err
	}
	var made []objects.Place // removed again after an error
	defer func() {
		if err != nil {
			for _, place := range made {
				objects.Remove(ctx, place, nil)
			}
		}
	}()
	for _, name := range names {
		place := r.temporary.Below(name)
		made = append(made, place)
		err := try("upload", func() error { return objects.Upload(ctx, place, filepath.Join(from, name), warn) })
		if err != nil {
			return err
		}
	}
	mark := r.place.Below(claim)
	err = try("claim", func() error { return objects.Put(ctx, mark, []byte(r.token), warn) })
	if errors.Is(err, fs.ErrExist) {
		return r.checkClaim()
	}
	if err != nil {
		return err
	}
	made = append(made, mark)
	if err := r.vacant(); err != nil {
		return err
	}
	for _, name := range names {
		place := r.place.Below(name)
		made = append(made, place)
		err := try("move", func() error {
			return objects.Move(ctx, r.temporary.Below(name), place, filepath.Join(from, name), warn)
		})
		if err != nil {
			return err
		}
	}
	if err := try("remove claim", func() error { return objects.Remove(ctx, mark, warn) }); err != nil {
		return err
	}
	return try("success", func() error { return objects.Put(ctx, r.place.Below(Success), nil, warn) })
}

// regularFiles returns the names of the files of a directory, in order.
func regularFiles(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	slices.Sort(names)
	return names, err
}

// writeRemoteFile is WriteFile for a URL.
func writeRemoteFile(path string, write func(io.Writer) error) error {
	place, err := objects.Parse(path)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "anchorage-output-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	err = errors.Join(write(file), file.Close())
	if err != nil {
		return err
	}
	return objects.Upload(context.Background(), place, file.Name(), warn)
}

// warn logs what is tried again.
func warn(path string, attempt int, pause time.Duration, err error) {
	slog.Warn("the store did not answer as it should: trying again", "object", path, "attempt", attempt, "pause", pause, "error", err)
}
