// This file finds the shards that the arguments of a command name.

package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"anchorage/internal/objects"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/fault"
)

// companions are the names, in lower case and up to the first dot, of files that accompany data.
var companions = map[string]bool{"readme": true, "license": true, "licence": true, "copying": true, "notice": true,
	"attribution": true, "changelog": true}

// Discover returns the shards that args name. An argument is a URL of an object, a folder or a pattern in an object store
// (s3://, gs://, azblob://), or else a file, a directory or a pattern as of path/filepath.Match. A directory stands for its
// shards and those of the directories in it, in the order of their paths; a pattern for its matches, in the order of their
// names. In directories and among matches, some files are left out: names that begin with "." or "_", word lists
// (vocab.*.txt), files such as README, and with the format Auto also files whose name and content belong to no known
// format. It is an error if a file comes twice, or if an argument leads to no shard. Errors are of type *Error.
func Discover(ctx context.Context, args []string, opts Options) ([]Shard, error) {
	d := discovery{ctx: ctx, options: opts, seen: make(map[string]string)}
	for _, arg := range args {
		before := len(d.shards)
		if err := d.argument(arg); err != nil {
			return nil, public(err)
		}
		if len(d.shards) == before {
			return nil, &Error{Path: arg, Err: fmt.Errorf("no shard found: looked for %s", lookedFor(opts.Format))}
		}
	}
	if len(d.shards) == 0 {
		return nil, errors.New("no shard named: give files, directories or patterns")
	}
	return d.shards, nil
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
	seen    map[string]string // resolved path -> path as found
}

// argument adds the shards of one argument.
func (d *discovery) argument(arg string) error {
	if objects.IsURL(arg) {
		return d.remote(arg)
	}
	arg, err := objects.Local(arg)
	if err != nil {
		return &Error{Path: arg, Err: err}
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return d.directory(arg)
	case err == nil:
		if err := d.documents(filepath.Base(arg)); err != nil {
			return &Error{Path: arg, Err: err}
		}
		return d.file(arg, info)
	case !errors.Is(err, fs.ErrNotExist):
		return inFile(arg, err)
	case !strings.ContainsAny(arg, "*?["):
		return &Error{Path: arg, Err: errors.New("no such file or directory")}
	}
	return d.pattern(arg)
}

// documents returns an error if the name of a file that is given by name says that it holds no documents.
func (d *discovery) documents(name string) error {
	switch {
	case d.options.Format != Auto:
	case isWordList(name):
		return errors.New("this is the word list of a docword shard, not a shard")
	case isCompanion(name):
		return fault.Because(fault.NotDocuments, "the file looks like one that describes data, not like documents")
	}
	return nil
}

// pattern adds the shards that match a pattern.
func (d *discovery) pattern(pattern string) error {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return &Error{Path: pattern, Err: err}
	}
	sort.Strings(matches)
	for _, path := range matches {
		if isHidden(filepath.Base(path)) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return inFile(path, err)
		}
		if info.IsDir() {
			err = d.directory(path)
		} else {
			err = d.candidate(path, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// directory adds the shards in a directory and below it. Links to directories are not followed.
func (d *discovery) directory(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return inFile(path, err)
		case path == root:
			return nil
		case isHidden(entry.Name()) && entry.IsDir():
			return filepath.SkipDir
		case isHidden(entry.Name()) || entry.IsDir():
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return inFile(path, err)
		}
		if info.IsDir() {
			return nil
		}
		return d.candidate(path, info)
	})
}

// candidate adds a file found in a directory or by a pattern, if it is a shard.
func (d *discovery) candidate(path string, info fs.FileInfo) error {
	taken, err := d.takes(access.FileObject(path, info))
	if err != nil || !taken {
		return err
	}
	return d.file(path, info)
}

// takes reports whether a file found in a directory or by a pattern is a shard.
func (d *discovery) takes(o access.Object) (bool, error) {
	base := strings.ToLower(o.Name())
	stem, _, _ := strings.Cut(base, ".")
	if isWordList(base) || companions[stem] {
		return false, nil
	}
	name := access.UncompressedName(base)
	if promised, _ := formatOfName(name); promised != nil || d.options.Format != Auto {
		return true, nil
	}
	if o.Irregular {
		return false, nil
	}
	format, _, err := detectBinary(d.ctx, o)
	return format != Auto, err
}

// file adds a file.
func (d *discovery) file(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &Error{Path: path, Err: errors.New("not a regular file; shards are read more than once")}
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil {
		resolved, err = filepath.Abs(resolved)
	}
	if err != nil {
		return inFile(path, err)
	}
	if earlier, twice := d.seen[resolved]; twice {
		return &Error{Path: path, Err: fmt.Errorf("the file is given twice (first as %s)", earlier)}
	}
	d.seen[resolved] = path
	s, err := d.shard(access.FileObject(path, info))
	if err != nil {
		return err
	}
	d.shards = append(d.shards, s)
	return nil
}

// shard returns the shard that a file is.
func (d *discovery) shard(o access.Object) (s Shard, err error) {
	s = Shard{Path: o.Path, Format: d.options.Format, Reason: "given", Size: o.Size, options: d.options, object: o}
	if s.Format == Auto {
		s.Format, s.Reason, err = detect(d.ctx, d.options.in(o))
	}
	if err != nil && d.options.KeepBad && d.ctx.Err() == nil {
		s.Format, s.damage, err = Auto, public(err), nil
	}
	if s.options.Tokenize && s.Format == Baskets {
		s.Format = Text
	}
	return s, err
}

// isHidden reports whether a file of this name is left out.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// isWordList reports whether a file of this name is the word list of a docword shard.
func isWordList(name string) bool {
	name = access.UncompressedName(strings.ToLower(name))
	return strings.HasPrefix(name, "vocab.") && strings.HasSuffix(name, ".txt")
}
