// This file writes one file that is complete or absent.

package durable

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"

	"anchorage/internal/objects"
)

// bufferSize is how many bytes are gathered before they go to the operating system.
const bufferSize = 1 << 18

// Writer writes a file under a temporary name. Commit gives it its final one; Abort removes it.
type Writer struct {
	path   string // final name
	file   *os.File
	buffer *bufio.Writer
	done   bool // committed or aborted
}

// NewWriter begins a file that Commit will put at path, in place of any file that is there.
func NewWriter(path string) (*Writer, error) {
	path = filepath.Clean(path)
	temporary := sibling(path, rand.Text()+".tmp")
	var file *os.File
	err := try("create", func() (err error) {
		file, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, file: file}
	w.buffer = bufio.NewWriterSize(rawFile{file}, bufferSize)
	return w, nil
}

// Write appends to the file, through a buffer. After an error every further Write and Commit returns it.
func (w *Writer) Write(p []byte) (int, error) { return w.buffer.Write(p) }

// Commit makes the content lasting and gives the file its name. On an error before that the file is aborted.
func (w *Writer) Commit() error {
	if w.done {
		return errors.New("durable: file is committed or aborted already")
	}
	if err := finish(w.file, w.buffer); err != nil {
		w.Abort()
		return err
	}
	if err := try("rename", func() error { return os.Rename(w.file.Name(), w.path) }); err != nil {
		w.Abort()
		return err
	}
	w.done = true
	return syncDir(filepath.Dir(w.path))
}

// Abort removes what was written. After Commit, or a second time, it does nothing.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.file.Close() // closed already when Commit got that far
	os.Remove(w.file.Name())
}

// WriteFile puts at path what write writes. On an error, write's own or another, what stood at path before is untouched
// and nothing else is left behind.
// path may be a URL; see objects.
func WriteFile(path string, write func(io.Writer) error) error {
	if objects.IsURL(path) {
		return writeRemoteFile(path, write)
	}
	path, err := objects.Local(path)
	if err != nil {
		return err
	}
	w, err := NewWriter(path)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return err
	}
	return w.Commit()
}

// Remove removes a file that need not be there, and makes that lasting.
func Remove(path string) error {
	err := try("remove", func() error { return os.Remove(path) })
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// rawFile is a file whose writes tests can let fail.
type rawFile struct{ file *os.File }

func (r rawFile) Write(p []byte) (n int, err error) {
	err = try("write", func() error {
		n, err = r.file.Write(p)
		return err
	})
	return n, err
}

// finish flushes, syncs and closes a file. After an error the file may still be open.
func finish(file *os.File, buffer *bufio.Writer) error {
	if err := buffer.Flush(); err != nil {
		return err
	}
	if err := try("sync", file.Sync); err != nil {
		return err
	}
	return try("close", file.Close)
}

// sibling returns the temporary name of path with the given suffix: hidden, and in the same directory, for a rename
// cannot leave a file system.
func sibling(path, suffix string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+suffix)
}
