// This file writes folders of results, which are complete or absent, and gives room for what is temporary.

package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"anchorage/internal/durable"
)

// Folder gathers the files of a results folder in memory. Nothing is on disk before Commit.
type Folder struct {
	path  string
	files []file
}

type file struct {
	name    string
	content []byte
}

// NewFolder begins the results at path. The error is durable.ErrExists if something is there.
func NewFolder(path string) (*Folder, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w", path, durable.ErrExists)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return &Folder{path: filepath.Clean(path)}, nil
}

// Add adds a file.
func (f *Folder) Add(name string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.files = append(f.files, file{name, content.Bytes()})
	return nil
}

// AddTables adds tables as CSV.
func (f *Folder) AddTables(tables ...*Table) error {
	for _, t := range tables {
		if err := f.Add(t.Name+".csv", t.WriteCSV); err != nil {
			return err
		}
	}
	return nil
}

// AddChart adds a chart as SVG.
func (f *Folder) AddChart(name string, chart Chart) error { return f.Add(name, chart.Write) }

// AddText adds a file of text.
func (f *Folder) AddText(name, text string) error { return f.Add(name, writing(text)) }

func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// WriteText writes one file of text, which is complete or absent.
func WriteText(path, text string) error { return durable.WriteFile(path, writing(text)) }

// Names returns the names of the files.
func (f *Folder) Names() []string {
	names := make([]string, len(f.files))
	for i, file := range f.files {
		names[i] = file.name
	}
	return names
}

// Commit writes the folder under a temporary name beside its place and renames it.
func (f *Folder) Commit() (err error) {
	temporary, remove, err := Scratch(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	whole := filepath.Join(temporary, "results")
	if err := os.Mkdir(whole, 0o755); err != nil {
		return err
	}
	for _, file := range f.files {
		write := func(w io.Writer) error { _, err := w.Write(file.content); return err }
		if err := durable.WriteFile(filepath.Join(whole, file.name), write); err != nil {
			return err
		}
	}
	if _, err := NewFolder(f.path); err != nil { // a rename would replace an empty folder
		return err
	}
	return os.Rename(whole, f.path)
}

// Scratch makes a folder for what is temporary in another folder; the system's own if that is empty. remove takes it away.
func Scratch(in string) (path string, remove func() error, err error) {
	path, err = os.MkdirTemp(in, ".anchorage-bench-")
	if err != nil {
		return "", nil, fmt.Errorf("making room for temporary files: %w", err)
	}
	return path, func() error { return os.RemoveAll(path) }, nil
}
