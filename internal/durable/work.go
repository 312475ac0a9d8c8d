// This file makes working files, which die with their run and need not last.

package durable

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// WorkFile is a file in a folder for temporary files. Nothing makes it lasting.
type WorkFile struct{ *os.File }

// CreateWork makes a working file at path, or empties one that is there.
func CreateWork(path string) (*WorkFile, error) {
	w := new(WorkFile)
	err := try("create", path, func() (err error) {
		w.File, err = os.Create(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Spill is a working file of one run. Where the system allows it, it has no name, so that nothing is left of it even if
// the process is killed.
type Spill struct {
	*WorkFile
	scratch *Scratch
}

// CreateSpill makes an empty file in a folder; an empty dir means the system's folder for temporary files. kind is a
// word in small letters that says what the file is for.
func CreateSpill(dir, kind string) (*Spill, error) {
	scratch, err := NewScratch(dir, kind)
	if err != nil {
		return nil, err
	}
	file, err := CreateWork(filepath.Join(scratch.Path(), "spill"))
	if err != nil {
		scratch.Remove()
		return nil, err
	}
	if runtime.GOOS != "windows" {
		scratch.Remove() // the open file needs no name
	}
	return &Spill{file, scratch}, nil
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
