// This file finds the shards that the arguments of a command name: files, folders, patterns, and URLs of object
// stores.

package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/kernel"
	"anchorage/internal/objects"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/text"
)

// companions are the names, in lower case and up to the first dot, of files that accompany data.
var companions = map[string]bool{"readme": true, "license": true, "licence": true, "copying": true, "notice": true,
	"attribution": true, "changelog": true}

// Discover returns the shards that args name. An argument is a URL of an object, a folder or a pattern in an object
// store (s3://, gs://, azblob://), or else a file, a directory, "-" for standard input, or a pattern as of
// path/filepath.Match. A directory means its shards and those of the directories in it, in the order of their paths; a
// pattern for its matches, in the order of their names. In directories and among matches, some files are left out:
// links (see Options.FollowLinks), names that begin with "." or "_", word lists (vocab.*.txt), files such as README,
// and with the format Auto also files whose name and content belong to no known format. It is an error if a file comes
// twice, or if an argument leads to no shard. A directory with a list SHA256SUMS of nothing but part-NNNNN.parquet is
// one of converted shards: it must have _SUCCESS and all files of the list, and its shards expect the digests. Errors
// are of type *Error, with an *UnclearError as its cause if texts may be meant in several ways.
func Discover(ctx context.Context, args []string, opts Options) ([]Shard, error) {
	d := discovery{ctx: ctx, options: opts, seen: make(map[string]string), expected: make(map[string]expectation)}
	for _, arg := range args {
		before := len(d.shards)
		if err := d.argument(arg); err != nil {
			return nil, err
		}
		if len(d.shards) == before {
			err := fmt.Errorf("no shard found: looked for %s", lookedFor(opts.Format))
			if d.linked > 0 {
				err = fmt.Errorf("%w; %d links were left out", err, d.linked)
			}
			return nil, &Error{Path: arg, Err: err}
		}
	}
	if len(d.shards) == 0 {
		return nil, errors.New("no shard named: give files, directories or patterns")
	}
	d.agree()
	return d.shards, d.question()
}

// lookedFor describes the files that are taken from directories and patterns.
func lookedFor(format Format) string {
	if format == Auto {
		return namePatterns() + ", all of text also with .gz or .zst"
	}
	return fmt.Sprintf("files in the format %s with names that do not begin with \".\" or \"_\"", format)
}

type discovery struct {
	ctx     context.Context
	options Options
	shards  []Shard
	found   []finding         // of each shard
	root    string            // folder of the current argument; empty if it is a file
	linked  int               // links that were left out
	seen    map[string]string // resolved path or URL -> path as found
	// expected are the digests of converted shards, by their paths.
	expected map[string]expectation
}

// argument adds the shards of one argument.
func (d *discovery) argument(arg string) error {
	if arg == access.InputPath {
		return d.input()
	}
	if objects.IsURL(arg) {
		return d.remote(arg)
	}
	arg, err := objects.Local(arg)
	if err != nil {
		return &Error{Path: arg, Err: err}
	}
	info, err := os.Stat(arg)
	if err == nil && info.IsDir() {
		d.root = arg
		files, err := d.directory(arg)
		if err != nil {
			return err
		}
		return d.resolve(files, arg, false)
	}
	if err == nil {
		return d.named(access.FileObject(arg, info), "")
	}
	meta := strings.IndexAny(arg, "*?[")
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return fault.InFile(arg, err)
	case meta < 0:
		return &Error{Path: arg, Err: errors.New("no such file or directory")}
	}
	d.root = filepath.Dir(arg[:meta] + "x")
	files, err := d.pattern(arg)
	if err != nil {
		return err
	}
	return d.resolve(files, d.root, false)
}

// named adds a file or object that is given by name, unless its name says that it holds no documents.
func (d *discovery) named(o access.Object, folder string) (err error) {
	switch {
	case d.options.Format != Auto:
	case isWordList(o.Name()):
		err = errors.New("this is the word list of a docword shard, not a shard")
	case isCompanion(o.Name()):
		err = fault.Because(fault.NotDocuments, "the file looks like one that describes data, not like documents")
	}
	if err != nil {
		return &Error{Path: o.Path, Err: err}
	}
	return d.resolve([]access.Object{o}, folder, true)
}

// pattern returns the files that match a pattern, and those in the directories that do.
func (d *discovery) pattern(pattern string) (files []access.Object, err error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, &Error{Path: pattern, Err: err}
	}
	slices.Sort(matches)
	for _, path := range matches {
		if isHidden(filepath.Base(path)) || d.leaves(path) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fault.InFile(path, err)
		}
		below := []access.Object{access.FileObject(path, info)}
		if info.IsDir() {
			if below, err = d.directory(path); err != nil {
				return nil, err
			}
		}
		files = append(files, below...)
	}
	return files, nil
}

// leaves reports whether a path that no argument names is left out, because it leads over a link below the folder of
// the argument.
func (d *discovery) leaves(path string) bool {
	if d.options.FollowLinks {
		return false
	}
	for at := path; len(at) > len(d.root); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if d.linked++; d.options.PassedOver != nil {
				d.options.PassedOver(path, true)
			}
			return true
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return false
}

// directory returns the files in a directory and below it. Links to directories in it are not followed.
func (d *discovery) directory(root string) (files []access.Object, err error) {
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // a walk does not enter a link
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != root && isHidden(entry.Name())
		switch {
		case err != nil:
			return fault.InFile(path, err)
		case hidden && entry.IsDir():
			return filepath.SkipDir
		case entry.IsDir() || path == root:
			return d.converted(path, func(name string) (bool, error) { return objects.Exists(d.ctx, filepath.Join(path, name)) })
		case hidden, entry.Type()&fs.ModeSymlink != 0 && d.leaves(path):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return fault.InFile(path, err)
		}
		if !info.IsDir() {
			files = append(files, access.FileObject(path, info))
		}
		return nil
	})
	return files, err
}

// takes reports whether a file found in a directory or by a pattern is a shard; passed that nothing shows its format.
func (d *discovery) takes(o access.Object) (taken, passed bool, err error) {
	base := strings.ToLower(o.Name())
	stem, _, _ := strings.Cut(base, ".")
	if isWordList(base) || companions[stem] {
		return false, false, nil
	}
	promised, _ := formatOfName(access.UncompressedName(base))
	if promised != nil || d.options.Format != Auto {
		return true, false, nil
	}
	if o.Irregular {
		return false, false, nil
	}
	head, err := o.Head(d.ctx, headBytes)
	taken = detectBinary(head, o.Size).format != Auto
	return taken, err == nil && !taken, err
}

// lookups is how many files and objects are looked at at a time.
const lookups = 16

// candidate is a file or object that may be a shard.
type candidate struct {
	taken, passed bool
	identity      string // resolved path or URL
	shard         Shard
	found         finding
	err           error
}

// resolve adds those of the files or objects that are shards. One that was named itself is one. folder is that in which
// all lie; empty for a named file of this machine.
func (d *discovery) resolve(all []access.Object, folder string, named bool) error {
	candidates := make([]candidate, len(all))
	err := kernel.Parallel(d.ctx, lookups, len(all), func(i int) error {
		candidates[i] = d.candidate(all[i], folder, named)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range candidates {
		switch {
		case c.err != nil:
			return c.err
		case c.passed && d.options.PassedOver != nil:
			d.options.PassedOver(c.shard.Path, false)
		}
		if !c.taken {
			continue
		}
		if earlier, twice := d.seen[c.identity]; twice {
			return &Error{Path: c.shard.Path, Err: fmt.Errorf("the file is given twice (first as %s)", earlier)}
		}
		d.seen[c.identity] = c.shard.Path
		d.add(c.shard, c.found)
	}
	return nil
}

// candidate looks at a file or object.
func (d *discovery) candidate(o access.Object, folder string, named bool) (c candidate) {
	c.taken, c.identity, c.shard.Path = named, o.Path, o.Path
	if !named {
		if c.taken, c.passed, c.err = d.takes(o); c.err != nil || !c.taken {
			return c
		}
	}
	document := o.Path
	switch {
	case o.Remote != nil && o.Remote.ETag == "": // a list does not have it
		if o, c.err = access.LookUp(d.ctx, o.Path, d.options.Warn); c.err != nil {
			return c
		}
		fallthrough
	case o.Remote != nil:
		document = strings.TrimPrefix(o.Remote.Key, folder)
	case o.Irregular:
		c.err = &Error{Path: o.Path, Err: errors.New("not a regular file; shards are read more than once")}
		return c
	default:
		if c.identity, c.err = filepath.EvalSymlinks(o.Path); c.err == nil {
			c.identity, c.err = filepath.Abs(c.identity)
		}
		if c.err == nil && folder != "" {
			document, c.err = filepath.Rel(folder, o.Path)
		}
		if c.err != nil {
			c.err = fault.InFile(o.Path, c.err)
			return c
		}
		document = filepath.ToSlash(document)
	}
	c.shard, c.found, c.err = d.shard(o, document)
	return c
}

// input adds standard input.
func (d *discovery) input() error {
	if _, twice := d.seen[access.InputPath]; twice {
		return &Error{Path: access.InputPath, Err: errors.New("standard input is given twice")}
	}
	d.seen[access.InputPath] = access.InputPath
	source := d.options.Input
	if source == nil {
		source = os.Stdin
	}
	s, found, err := d.shard(access.InputObject(source), access.InputPath)
	if err != nil {
		return err
	}
	if entry := s.Format.entry(); entry != nil && entry.begins != nil {
		return &Error{Path: s.Path, Err: fmt.Errorf("standard input is read from its beginning to its end, and %s must be "+
			"read at several places: save it to a file first", entry.Name)}
	}
	d.add(s, found)
	return nil
}

// add adds a shard.
func (d *discovery) add(s Shard, found finding) {
	if e, listed := d.expected[s.Path]; listed {
		s.expected = &e
	}
	d.shards, d.found = append(d.shards, s), append(d.found, found)
}

// shard returns the shard that a file is, and what the look at it told. document is the id that the file has as a
// document.
func (d *discovery) shard(o access.Object, document string) (s Shard, found finding, err error) {
	s = Shard{Path: o.Path, Format: d.options.Format, Reason: "given", Size: o.Size, options: d.options, object: o}
	switch s.Format {
	case Auto:
		found, err = detect(d.ctx, d.options.in(o))
		s.Format, s.Reason = found.format, found.reason
	case Files:
		s.document = document
	case Baskets:
		if d.options.Separator == "" {
			found.separator = Blanks
			if sample, err := text.SampleOf(d.ctx, d.options.in(o)); err == nil { // else the reader finds it, and the line
				found.separator = sample.Separator()
			}
		}
	}
	if err != nil && d.options.KeepBad && d.ctx.Err() == nil {
		s.Format, s.damage, err = Auto, err, nil
	}
	if s.options.Tokenize && s.Format == Baskets {
		s.Format = Text
	}
	return s, found, err
}

// isHidden reports whether a file of this name is left out.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// isWordList reports whether a file of this name is the word list of a docword shard.
func isWordList(name string) bool {
	name = access.UncompressedName(strings.ToLower(name))
	return strings.HasPrefix(name, "vocab.") && strings.HasSuffix(name, ".txt")
}

// remote adds the shards of one URL: an object, a folder, or a pattern.
func (d *discovery) remote(arg string) error {
	place, err := objects.Parse(arg)
	if err != nil {
		return &Error{Path: arg, Err: err}
	}
	if place.Key != "" && !strings.HasSuffix(place.Key, "/") {
		o, err := access.LookUp(d.ctx, arg, d.options.Warn)
		switch {
		case err == nil:
			return d.named(o, path.Dir(o.Remote.Key)+"/")
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	found, folder, err := d.list(place)
	if err != nil {
		return err
	}
	if len(found) == 0 && !strings.ContainsAny(place.Key, "*?[") {
		return &Error{Path: arg, Err: errors.New("no such object, and none below it")}
	}
	return d.resolve(found, folder, false)
}

// list returns the objects below a place, or those that match it, in the order of their keys, and the folder in which
// all lie.
func (d *discovery) list(place objects.Place) (found []access.Object, folder string, err error) {
	pattern := place.Key
	prefix, matches := place.Below(""), func(string) (bool, error) { return true, nil }
	meta := strings.IndexAny(pattern, "*?[")
	if meta >= 0 {
		prefix = place.At(pattern[:strings.LastIndexByte(pattern[:meta], '/')+1])
		matches = func(key string) (bool, error) { return path.Match(pattern, key) }
		if _, err := matches(""); err != nil {
			return nil, "", &Error{Path: place.String(), Err: err}
		}
	}
	keys := make(map[string]bool)
	err = objects.List(d.ctx, prefix, d.options.Warn, func(info objects.Info) error {
		keys[info.Key] = true
		for _, element := range strings.Split(strings.TrimPrefix(info.Key, prefix.Key), "/") {
			if isHidden(element) {
				return nil
			}
		}
		matched, err := matches(info.Key)
		if err == nil && matched {
			found = append(found, access.StoreObject(info, d.options.Warn))
		}
		return err
	})
	if err != nil {
		return nil, "", access.StoreError(d.ctx, place.String(), err)
	}
	for key := range keys {
		if folder, name := path.Split(key); name == ListName && meta < 0 {
			err := d.converted(prefix.At(folder).String(), func(name string) (bool, error) { return keys[folder+name], nil })
			if err != nil {
				return nil, "", err
			}
		}
	}
	return found, prefix.Key, nil
}
