// This file makes folders for the temporary files of a run, and working files, which die with their run and need not
// last.

package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// WorkFile is a file in a folder for temporary files. Nothing makes it lasting.
type WorkFile struct{ *os.File }

// CreateWork makes a working file at path, or empties one that is there.
func CreateWork(path string) (*WorkFile, error) {
	file, err := open("create", path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	return &WorkFile{file}, nil
}

// SpillError says that a file to which memory is spilled cannot be used.
type SpillError struct {
	Of      string // what is spilled
	Path    string // the file; where it could not be made, its folder
	Doing   string // creating, writing, reading or emptying
	Damaged bool   // what was read is not what was written
	Err     error  // why
}

// Error says what was done to which file, and why it failed.
func (e *SpillError) Error() string {
	if e.Damaged {
		return fmt.Sprintf("the spill file of the %s (%s) is damaged: %v", e.Of, e.Path, e.Err)
	}
	return fmt.Sprintf("%s the spill file of the %s (%s): %v", e.Doing, e.Of, e.Path, e.Err)
}

func (e *SpillError) Unwrap() error { return e.Err }

// Spill is a working file of one run. Where the system allows it, it has no name, so that nothing is left of it even if
// the process is killed. The errors of its methods are *SpillErrors.
type Spill struct {
	*WorkFile
	scratch *Scratch
	of      string
}

// CreateSpill makes an empty file in a folder; an empty dir means the system's folder for temporary files. of is a word
// in small letters that says what is spilled.
func CreateSpill(dir, of string) (*Spill, error) {
	scratch, err := NewScratch(dir, of)
	if err != nil {
		return nil, &SpillError{Of: of, Path: dir, Doing: "creating", Err: err}
	}
	file, err := CreateWork(filepath.Join(scratch.Path(), "spill"))
	if err != nil {
		scratch.Remove()
		return nil, &SpillError{Of: of, Path: dir, Doing: "creating", Err: err}
	}
	if runtime.GOOS != "windows" {
		scratch.Remove() // the open file needs no name
	}
	return &Spill{file, scratch, of}, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Put writes p at an offset, and returns its checksum. Several goroutines may write at once.
func (s *Spill) Put(p []byte, offset int64) (sum uint32, err error) {
	_, err = s.WriteAt(p, offset)
	return crc32.Checksum(p, castagnoli), s.failed("writing", err)
}

// Get fills p from an offset. The sums are those of every size bytes.
func (s *Spill) Get(p []byte, offset int64, size int, sums []uint32) error {
	if n, err := s.ReadAt(p, offset); n < len(p) {
		if errors.Is(err, io.EOF) {
			return s.damaged("it ends after %d bytes", offset+int64(n))
		}
		return s.failed("reading", err)
	}
	for piece := range slices.Chunk(p, size) {
		if crc32.Checksum(piece, castagnoli) != sums[0] {
			return s.damaged("the %d bytes from %d on have a wrong checksum", len(piece), offset)
		}
		sums, offset = sums[1:], offset+int64(size)
	}
	return nil
}

// Empty gives the place on the disk back.
func (s *Spill) Empty() error { return s.failed("emptying", s.Truncate(0)) }

func (s *Spill) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return &SpillError{Of: s.of, Path: s.Name(), Doing: doing, Err: err}
}

func (s *Spill) damaged(format string, args ...any) error {
	return &SpillError{Of: s.of, Path: s.Name(), Doing: "reading", Damaged: true, Err: fmt.Errorf(format, args...)}
}

// Close removes the file.
func (s *Spill) Close() error {
	err := s.WorkFile.Close()
	s.scratch.Remove()
	return err
}

// Write appends to the file.
func (w *WorkFile) Write(p []byte) (int, error) { return rawFile{w.File}.Write(p) }

// ReadFrom appends what r yields, by Write.
func (w *WorkFile) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, r)
}

// WriteAt writes at an offset. Several goroutines may write at once.
func (w *WorkFile) WriteAt(p []byte, offset int64) (n int, err error) {
	err = try("write at", w.Name(), func() error {
		n, err = w.File.WriteAt(p, offset)
		return err
	})
	return n, err
}

// Scratch is a folder for the temporary files of one run. The run holds a lock on it, which ends with the process.
type Scratch struct {
	path    string
	held    *os.File // the open folder, which holds the lock; nil where there are no locks
	removed bool
}

// NewScratch makes a folder in the folder in; empty means the system's folder for temporary files. kind is a word in
// small letters that says what the folder is for. NewScratch also removes what dead runs left in the folder in; see
// Sweep.
func NewScratch(in, kind string) (*Scratch, error) {
	if in == "" {
		in = os.TempDir()
	}
	Sweep(in)
	return newScratch(func() string { return filepath.Join(in, scratchPrefix+kind+"-"+rand.Text()) })
}

// newScratch makes and locks a folder. name returns another path at each call.
func newScratch(name func() string) (*Scratch, error) {
	path, held, err := fresh(name, func(path string) error {
		return try("mkdir", path, func() error { return os.Mkdir(path, 0o700) })
	})
	if err != nil {
		return nil, err
	}
	return &Scratch{path: path, held: held}, nil
}

// Path returns the folder.
func (s *Scratch) Path() string { return s.path }

// Remove removes the folder with all that is in it, and gives the lock back. Left names what it cannot remove. A second
// call does nothing.
func (s *Scratch) Remove() {
	if s == nil || s.removed {
		return
	}
	s.removed = true
	discard(s.path)
	s.held.Close() // nothing was written through it
}

// Stage begins a directory in the temporary folder of the system. Commit calls publish with that folder, which then
// holds all files, and returns its error. Publish brings the files to where they belong and marks them complete; Stage
// writes no _SUCCESS. The folder is gone after Commit or Abort, also if publish panics.
func Stage(publish func(folder string) error) (*Dir, error) {
	staged, err := NewScratch("", "output")
	if err != nil {
		return nil, err
	}
	folder := staged.Path()
	return &Dir{folder: folder, lock: staged.held, beside: folder,
		publish: func(*Dir) error { return publish(folder) }}, nil
}
