// This file says what an output may take the place of: results of this program, and nothing of anybody else.

package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/sealed"
)

const (
	manifestFile = "manifest.json"
	// listFile is the manifest of a directory whose files other programs read by its folder: they pass over names with _.
	listFile = "_manifest.json"
	// markFile marks a store of documents and models.
	markFile = "store.json"
	// kindPrefix begins the kind in every manifest of this program.
	kindPrefix = "anchorage/"
)

// added are the files that runs of this program add to a directory beside those that its manifest lists.
var added = map[string]bool{manifestFile: true, listFile: true, durable.Success: true, "run.json": true,
	"metrics.json": true, "recommend.json": true, "neighbours.parquet": true, "neighbour_counts.parquet": true,
	"recommend.json.next": true, "neighbours.parquet.next": true, "neighbour_counts.parquet.next": true,
	"places.parquet": true}

// listing is what a manifest says of the files of a directory.
type listing struct {
	Kind    string `json:"kind"`
	Outputs []file `json:"outputs"`
	Levels  []struct {
		Folder string `json:"folder"`
	} `json:"levels,omitempty"`
}

// file is a file in a listing.
type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// List writes _manifest.json into a directory that has no other manifest: its kind, and the files that were written. It
// comes last, before the commit.
func List(dir *durable.Dir, kind string) error {
	l := listing{Kind: kind}
	for _, f := range dir.Files() {
		l.Outputs = append(l.Outputs, file(f))
	}
	return dir.WriteFile(listFile, func(w io.Writer) error { return sealed.Write(w, l) })
}

// readListing returns what the manifest of a directory says; its Kind is empty if there is no manifest of this program.
func readListing(ctx context.Context, dir string, names ...string) (l listing, err error) {
	for _, name := range names {
		text, failed := objects.ReadFile(ctx, objects.Join(dir, name))
		if failed != nil {
			if !errors.Is(failed, fs.ErrNotExist) && !errors.Is(failed, syscall.ENOTDIR) {
				err = failed
			}
			continue
		}
		var found listing
		if json.Unmarshal(text, &found) == nil && strings.HasPrefix(found.Kind, kindPrefix) {
			return found, nil
		}
	}
	return l, err
}

// Replaceable returns an error that wraps durable.ErrNotReplaceable unless the directory at path is one of results of a
// kind, and holds no file that its manifest does not list.
func Replaceable(path, kind string) error {
	refused := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w: %s", path, durable.ErrNotReplaceable, fmt.Sprintf(format, args...))
	}
	l, err := readListing(context.Background(), path, manifestFile, listFile)
	switch {
	case err != nil:
		return refused("its manifest cannot be read: %v", err)
	case l.Kind == "":
		return refused("it has no manifest of this program, which would say whose files are in it")
	case l.Kind != kind:
		return refused("it is a directory of the kind %s, and the new one would be of the kind %s", l.Kind, kind)
	}
	listed := make(map[string]bool)
	if err := l.collect(path, "", listed); err != nil {
		return refused("its manifest cannot be read: %v", err)
	}
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); !listed[name] && !durable.IsTemporary(entry.Name()) {
			return refused("it holds %s, which its manifest does not list", name)
		}
		return nil
	})
}

// collect adds the names of all files that a directory may hold, and those of its levels, which have their own
// manifests.
func (l *listing) collect(root, folder string, listed map[string]bool) error {
	for name := range added {
		listed[path.Join(folder, name)] = true
	}
	for _, f := range l.Outputs {
		listed[path.Join(folder, f.Name)] = true
	}
	for _, level := range l.Levels {
		below := path.Join(folder, level.Folder)
		if listed[path.Join(below, manifestFile)] || !filepath.IsLocal(below) {
			continue // a manifest that names a folder twice, or one elsewhere
		}
		within, err := readListing(context.Background(), filepath.Join(root, filepath.FromSlash(below)), manifestFile)
		if err != nil {
			return err
		}
		if within.Kind == "" {
			continue // then the files of that folder are not listed
		}
		if err := within.collect(root, below, listed); err != nil {
			return err
		}
	}
	return nil
}

// Kept returns an error that wraps durable.ErrNotReplaceable if there is a file at path that does not begin as those do
// that every run writes again.
func Kept(ctx context.Context, path, begins string) error {
	if err := Vacant(ctx, path, true); err != nil {
		return err
	}
	stream, err := objects.OpenStream(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer stream.Close()
	text := make([]byte, len(begins))
	if n, _ := io.ReadFull(stream, text); n > 0 && string(text[:n]) != begins {
		return fmt.Errorf("%s: %w: it holds something else", path, durable.ErrNotReplaceable)
	}
	return nil
}

// Vacant returns an error unless a new file may come to path: it wraps durable.ErrExists if one is there and replace is
// false, and is a *PlaceError if what is there is no file.
func Vacant(ctx context.Context, path string, replace bool) error {
	exists := fmt.Errorf("%s: %w", path, durable.ErrExists)
	if objects.IsURL(path) {
		if replace {
			return nil
		}
		if there, err := objects.Exists(ctx, path); err != nil || !there {
			return err
		}
		return exists
	}
	local, err := objects.Local(path)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(local); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(local)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &PlaceError{path, "is a folder or a device, not a file"}
	case !replace:
		return exists
	}
	return nil
}
