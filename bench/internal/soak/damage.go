// This file damages what was written, in the ways of disks and transfers, and checks that reading it detects the
// damage.

package soak

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"anchorage/internal/random"
)

// artefact is something that is written, and that checks itself when it is read.
type artefact struct {
	name string
	// make writes it into a folder and returns its path: a file, or a directory of files.
	make func(ctx context.Context, folder string) (path string, err error)
	// read reads it and returns everything that was read.
	read func(ctx context.Context, path string) (any, error)
}

// damage makes an artefact, flips bits of it or cuts its files, about enough in all, one at a time, and reads it each
// time. Cuts are at every length if there are no more, else at multiples of a step from a random length on.
func (w *Workshop) damage(ctx context.Context, o *Outcome, enough int) error {
	a := artefacts[slices.IndexFunc(artefacts, func(a artefact) bool { return a.name == o.What })]
	folder, err := w.newFolder()
	if err != nil {
		return err
	}
	path, err := a.make(ctx, folder)
	if err != nil {
		return fmt.Errorf("making the %s: %w", a.name, err)
	}
	whole, err := a.read(ctx, path)
	if err != nil {
		return fmt.Errorf("reading the whole %s: %w", a.name, err)
	}
	files, size, err := contents(path)
	if err != nil {
		return err
	}
	look := func(what string) error {
		o.Disturbed++
		switch got, err := a.read(ctx, path); {
		case err != nil:
			o.Refused++
		case reflect.DeepEqual(got, whole):
			o.Complete++
		default:
			o.problem("%s", what)
		}
		return ctx.Err()
	}
	draw := func(number, which, below int64) int64 {
		return int64(random.Uniform(w.seed, random.SoakDamage, uint64(number), uint64(which)) * float64(below))
	}
	o.Note = fmt.Sprintf("of %d bytes", size)
	if o.How == cuts {
		step := int((size + int64(enough) - 1) / int64(enough))
		for i, f := range files {
			if err := f.cut(int(draw(int64(i), 2, int64(step))), step, look); err != nil {
				return err
			}
		}
		return os.RemoveAll(folder)
	}
	for number := range int64(enough) {
		at, bit := draw(number, 0, size), int(draw(number, 1, 8))
		for _, f := range files {
			if at < int64(len(f.content)) {
				if err := f.flip(at, bit, look); err != nil {
					return err
				}
				break
			}
			at -= int64(len(f.content))
		}
	}
	return os.RemoveAll(folder)
}

// file is a file of an artefact with its content.
type file struct {
	path    string
	content []byte
}

// contents reads the files of an artefact. Empty ones cannot be damaged and are left out.
func contents(path string) (files []file, size int64, err error) {
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if len(content) > 0 {
			files, size = append(files, file{name, content}), size+int64(len(content))
		}
		return err
	})
	return files, size, err
}

// flip turns a bit, looks, and turns it back.
func (f file) flip(at int64, bit int, look func(string) error) error {
	handle, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer handle.Close()
	if _, err := handle.WriteAt([]byte{f.content[at] ^ 1<<bit}, at); err != nil {
		return err
	}
	if err := look(fmt.Sprintf("%s: bit %d of byte %d", filepath.Base(f.path), bit, at)); err != nil {
		return err
	}
	_, err = handle.WriteAt(f.content[at:at+1], at)
	return err
}

// cut truncates the file at lengths from the greatest down, looks each time, and restores it.
func (f file) cut(from, step int, look func(string) error) error {
	last := from + (len(f.content)-1-from)/step*step
	for length := last; length >= from && length < len(f.content); length -= step {
		if err := os.Truncate(f.path, int64(length)); err != nil {
			return err
		}
		if err := look(fmt.Sprintf("%s: cut at %d of %d bytes", filepath.Base(f.path), length, len(f.content))); err != nil {
			return err
		}
	}
	return os.WriteFile(f.path, f.content, 0o666)
}
