// This file says where nothing may be written: at, above or below what a command reads, and within directories of
// results.

package output

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"anchorage/internal/objects"
)

// PlaceError reports a place at which nothing may be written.
type PlaceError struct{ Path, Reason string }

// Error names the path and says why.
func (e *PlaceError) Error() string { return e.Path + " " + e.Reason }

// CheckPlace returns a *PlaceError if an output at path would be, contain, or lie within one of inputs, or if it would
// lie within a store or a directory of results. Paths may be URLs, and inputs patterns. Nothing of the inputs is read.
func CheckPlace(ctx context.Context, path string, inputs []string) error {
	at := locate(path)
	for _, input := range inputs {
		if how := at.meets(input); input != "-" && how != "" {
			return &PlaceError{path, fmt.Sprintf("%s %s, which this command reads", how, input)}
		}
	}
	for _, folder := range at.folders {
		found, _ := readListing(ctx, folder, manifestFile, listFile, markFile) // what cannot be read is not known to be ours
		if found.Kind != "" {
			return &PlaceError{path, fmt.Sprintf("lies within %s of the kind %s, to which only its own commands add",
				folder, found.Kind)}
		}
	}
	return nil
}

// location is where the path of an output leads.
type location struct {
	name    string        // with slashes: without links, as far as it exists; of a URL without its query
	folders []string      // the folders above it, from the nearest, as they are opened
	infos   []fs.FileInfo // what exists of the path and the folders above it
	is      fs.FileInfo   // the path itself; nil if nothing is there
	held    map[string]bool
}

// locate returns where an output would be.
func locate(output string) *location {
	l := &location{name: nameOf(output), held: make(map[string]bool)}
	if objects.IsURL(output) {
		place, _ := objects.Parse(output) // beginning the output says what is wrong
		for key := strings.TrimRight(place.Key, "/"); key != "" && key != "."; {
			key = path.Dir(key)
			l.folders = append(l.folders, place.At(strings.TrimPrefix(key, ".")).String())
		}
		return l
	}
	at := filepath.FromSlash(l.name)
	if info, err := os.Stat(at); err == nil {
		l.is, l.infos = info, append(l.infos, info)
	}
	for above := filepath.Dir(at); above != at; at, above = above, filepath.Dir(above) {
		l.folders = append(l.folders, above)
		if info, err := os.Stat(above); err == nil {
			l.infos = append(l.infos, info)
		}
	}
	return l
}

// nameOf returns a path as an absolute one without links, as far as it exists, and a URL without its query, which says
// only how to reach the store. Both have slashes, and none at the end.
func nameOf(name string) string {
	if place, err := objects.Parse(name); err == nil {
		return path.Clean(place.Bucket + "/" + place.Key)
	}
	if local, err := objects.Local(name); err == nil {
		name = local
	}
	if real, err := filepath.EvalSymlinks(name); err == nil { // before Abs, which takes .. for the folder above a link
		name = real
	}
	if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	for at, rest := name, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.ToSlash(filepath.Join(real, rest))
		}
		if at == filepath.Dir(at) {
			return filepath.ToSlash(name)
		}
	}
}

// meets says how the location overlaps with an input: it "is", "contains" or "lies within" it; "" if it does not.
func (l *location) meets(input string) string {
	name := nameOf(input)
	if how := relation(l.name, name); how != "" {
		return how
	}
	if !objects.IsURL(input) {
		if local, err := objects.Local(input); err == nil {
			input = local
		}
		if info, err := os.Stat(input); err == nil {
			return l.same(info, filepath.Dir(filepath.FromSlash(name)))
		}
	}
	return l.matches(input, name)
}

// relation says how a name with slashes overlaps with another.
func relation(output, input string) string {
	below := func(name, folder string) bool { return strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/") }
	switch {
	case output == input:
		return "is"
	case below(output, input):
		return "lies within"
	case below(input, output):
		return "contains"
	}
	return ""
}

// same compares an input in a folder by identity: a file or a folder may have several names.
func (l *location) same(input fs.FileInfo, folder string) string {
	for _, info := range l.infos {
		if os.SameFile(input, info) {
			if info == l.is {
				return "is"
			}
			return "lies within"
		}
	}
	if l.is != nil && l.is.IsDir() && l.holds(folder) {
		return "contains"
	}
	return ""
}

// holds reports whether a folder is the location, or lies below it.
func (l *location) holds(folder string) bool {
	held, seen := l.held[folder]
	if !seen {
		info, err := os.Stat(folder)
		held = err == nil && os.SameFile(info, l.is) || filepath.Dir(folder) != folder && l.holds(filepath.Dir(folder))
		l.held[folder] = held
	}
	return held
}

// matches compares with what a pattern means, whose name is that of nameOf.
func (l *location) matches(pattern, name string) string {
	at := strings.IndexAny(name, "*?[")
	if at < 0 {
		return ""
	}
	if how := relation(l.name, path.Dir(name[:at]+"x")); how == "is" || how == "contains" {
		return "contains"
	}
	for above, how := l.name, "is one of"; above != path.Dir(above); above, how = path.Dir(above), "lies within" {
		if matched, _ := path.Match(name, above); matched {
			return how
		}
	}
	if objects.IsURL(pattern) {
		return ""
	}
	found, _ := filepath.Glob(pattern) // whoever reads it says that a pattern is bad
	for _, file := range found {
		if how := l.meets(file); how != "" {
			return how
		}
	}
	return ""
}
