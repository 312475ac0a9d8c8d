// This file damages what was written, in the ways of disks and transfers, and looks whether reading it notices.

package soak

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"anchorage/internal/random"
)

// Artefact is something that is written, and that checks itself when it is read.
type Artefact struct {
	Name string
	// Make writes it into a folder and returns its path: a file, or a directory of files.
	Make func(ctx context.Context, folder string) (path string, err error)
	// Read reads it and returns everything that was read.
	Read func(ctx context.Context, path string) (any, error)
}

// Damage says how much is damaged.
type Damage struct {
	Flips int    // single bits, drawn at random from all files
	Step  int    // every file is cut at every multiple of this; 0 for no cuts, unless Cuts says how many
	Cuts  int    // about so many cuts, if Step is 0
	Seed  uint64 // of the draws
	// Random lets cuts begin at a random length below Step, so that runs of several seeds meet others.
	Random bool
}

// Result says what reading made of damage.
type Result struct {
	Artefact    string
	Bytes       int64
	Flips, Cuts int
	Refused     int      // readings that ended with an error
	Harmless    int      // readings that were right all the same
	Silent      []string // damage after which something else was read, without an error
}

// artefactNames returns the names of all artefacts.
func artefactNames() (names []string) {
	for _, a := range artefacts {
		names = append(names, a.Name)
	}
	return names
}

// harm flips bits of an artefact, or cuts its files at about so many lengths: at every one if it has no more.
func harm(ctx context.Context, w *Workshop, o *Outcome, enough int) error {
	folder, err := w.newFolder()
	if err != nil {
		return err
	}
	d := Damage{Flips: enough, Seed: w.seed, Random: true}
	if o.How == "cuts" {
		d.Flips, d.Cuts = 0, enough
	}
	r, err := Harm(ctx, artefacts[slices.IndexFunc(artefacts, func(a Artefact) bool { return a.Name == o.What })], folder, d)
	if err != nil {
		return err
	}
	o.Disturbed, o.Refused, o.Complete, o.Problems, o.Note = r.Flips+r.Cuts, r.Refused, r.Harmless, r.Silent, fmt.Sprintf("of %d bytes", r.Bytes)
	return os.RemoveAll(folder)
}

// Harm makes an artefact in a folder and reads it under every damage, one at a time. The error is one of making it, of files, or of ctx.
func Harm(ctx context.Context, a Artefact, folder string, d Damage) (Result, error) {
	r := Result{Artefact: a.Name}
	path, err := a.Make(ctx, folder)
	if err != nil {
		return r, fmt.Errorf("making the %s: %w", a.Name, err)
	}
	whole, err := a.Read(ctx, path)
	want := digest(whole)
	if err != nil {
		return r, fmt.Errorf("reading the whole %s: %w", a.Name, err)
	}
	files, err := contents(path)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		r.Bytes += int64(len(f.content))
	}
	if d.Step == 0 && d.Cuts > 0 {
		d.Step = int((r.Bytes + int64(d.Cuts) - 1) / int64(d.Cuts))
	}
	look := func(what string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch got, err := a.Read(ctx, path); {
		case err != nil:
			r.Refused++
		case digest(got) == want:
			r.Harmless++
		default:
			r.Silent = append(r.Silent, what)
		}
		return nil
	}
	draw := func(number, which, below int64) int64 {
		return int64(random.Uniform(d.Seed, random.SoakDamage, uint64(number), uint64(which)) * float64(below))
	}
	for number := range int64(d.Flips) {
		at, bit := draw(number, 0, r.Bytes), int(draw(number, 1, 8))
		for _, f := range files {
			if at >= int64(len(f.content)) {
				at -= int64(len(f.content))
				continue
			}
			if err := f.flip(at, bit, look); err != nil {
				return r, err
			}
			break
		}
		r.Flips++
	}
	if d.Step > 0 {
		for i, f := range files {
			from := 0
			if d.Random {
				from = int(draw(int64(i), 2, int64(d.Step)))
			}
			n, err := f.cuts(from, d.Step, look)
			if err != nil {
				return r, err
			}
			r.Cuts += n
		}
	}
	return r, nil
}

// file is a file of an artefact with its content.
type file struct {
	path    string
	content []byte
}

// contents reads the files of an artefact. Empty ones cannot be damaged and are left out.
func contents(path string) (files []file, err error) {
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if len(content) > 0 {
			files = append(files, file{name, content})
		}
		return err
	})
	return files, err
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

// cuts truncates the file at lengths from the greatest down, looks each time, and restores it.
func (f file) cuts(from, step int, look func(string) error) (n int, err error) {
	last := from + (len(f.content)-1-from)/step*step
	for length := last; length >= from && length < len(f.content); length -= step {
		if err := os.Truncate(f.path, int64(length)); err != nil {
			return n, err
		}
		if err := look(fmt.Sprintf("%s: cut at %d of %d bytes", filepath.Base(f.path), length, len(f.content))); err != nil {
			return n, err
		}
		n++
	}
	return n, os.WriteFile(f.path, f.content, 0o666)
}
