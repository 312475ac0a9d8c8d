// This file writes one file: complete or absent, or growing, of which the caller knows how much is good.

package durable

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// bufferSize is the number of bytes that are collected before they go to the operating system.
const bufferSize = 1 << 18

// Writer writes a file under a temporary name. Commit gives it its final one; Abort removes it.
type Writer struct {
	path   string // final name
	file   *os.File
	held   *os.File // the same file, opened once more, with the lock; nil where there are no locks
	buffer *bufio.Writer
	done   bool // committed or aborted
}

// NewWriter begins a file that Commit will put at path. Commit replaces a file that is there; anything else there is an
// error. NewWriter also removes what dead runs left in the folder of path; see Sweep.
func NewWriter(path string) (*Writer, error) {
	path = filepath.Clean(path)
	// A new file would take the place of a device.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "write", Path: path, Err: errors.New("it is a folder or a device, not a file")}
	}
	Sweep(filepath.Dir(path))
	w := &Writer{path: path}
	var err error
	// The lock is on a separate opening: it must outlast the closing of the file, which comes before the renaming.
	_, w.held, err = fresh(func() string { return temporary(path) }, func(temporary string) (err error) {
		w.file, err = createNew(temporary)
		return err
	})
	if err != nil {
		return nil, err
	}
	w.buffer = bufio.NewWriterSize(rawFile{w.file}, bufferSize)
	return w, nil
}

// createNew makes a file where there must be none.
func createNew(path string) (*os.File, error) {
	return open("create", path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

// fresh makes a temporary file or folder and locks it. name returns another path at each call. held, which may be nil
// where there are no locks, holds the lock until it is closed.
func fresh(name func() string, create func(path string) error) (path string, held *os.File, err error) {
	for range lockRounds { // a round is lost only if another run swept what was made before it was locked
		path = name()
		if err := create(path); err != nil {
			return "", nil, err
		}
		if !canLock {
			return path, nil, nil
		}
		held, err = os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			discard(path)
			return "", nil, err
		}
		current, err := lockNamed(held, path)
		if err == nil && current || unlockable(err) {
			return path, held, nil
		}
		release(held)
		if err != nil && !errors.Is(err, errWouldBlock) {
			discard(path)
			return "", nil, err
		}
	}
	return "", nil, errors.New("durable: other runs keep removing what is new")
}

// Write appends to the file, through a buffer. After an error every further Write and Commit returns it.
func (w *Writer) Write(p []byte) (int, error) { return w.buffer.Write(p) }

// Commit makes the content lasting and gives the file its name. An error before the rename aborts the file.
func (w *Writer) Commit() error {
	if w.done {
		return errors.New("durable: the file is committed or aborted already")
	}
	err := finish(w.file, w.buffer)
	if err == nil {
		err = rename(w.file.Name(), w.path)
	}
	if err != nil {
		w.Abort()
		return err
	}
	w.done = true
	release(w.held)
	return syncedName(w.path)
}

// Abort removes what was written. After Commit, or a second time, it does nothing.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.file.Close() // Commit may have closed it already
	discard(w.file.Name())
	release(w.held)
}

// WriteFile puts at path what write writes. An error before the rename, from write or elsewhere, leaves path as it was
// and nothing else behind.
func WriteFile(path string, write func(io.Writer) error) error {
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

// Remove removes a file and makes that lasting. It returns nil without one.
func Remove(path string) error {
	err := try("remove", path, func() error { return os.Remove(path) })
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// rawFile is a file whose writes a test can make fail.
type rawFile struct{ file *os.File }

func (r rawFile) Write(p []byte) (n int, err error) {
	err = attempt(Operation{Name: "write", Path: r.file.Name(), Data: p}, func() error {
		n, err = r.file.Write(p)
		return err
	})
	if errors.As(err, new(*ShortWrite)) {
		n, _ = r.file.Write(p[:len(p)/2])
	}
	return n, err
}

// finish flushes, syncs and closes a file. After an error the file may still be open.
func finish(file *os.File, buffer *bufio.Writer) error {
	if err := buffer.Flush(); err != nil {
		return err
	}
	if err := try("sync", file.Name(), file.Sync); err != nil {
		return err
	}
	return try("close", file.Name(), file.Close)
}

// temporary returns another temporary name of path at each call, by which Sweep knows it.
func temporary(path string) string { return sibling(path, rand.Text()+"."+temporarySuffix) }

// sibling returns the temporary name of path with the given suffix. It is hidden, and in the same directory because a
// rename cannot cross file systems.
func sibling(path, suffix string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+suffix)
}

// Appender writes a file that a later run may continue. Only what was written before the last Sync is sure to be there
// then.
type Appender struct {
	file   *os.File
	buffer *bufio.Writer
}

// NewAppender opens the file at path, or makes it, cuts it to the given size, and writes after that.
func NewAppender(path string, size int64) (*Appender, error) {
	file, err := open("create", path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	err = attempt(Operation{Name: "truncate", Path: path, Size: size}, func() error { return file.Truncate(size) })
	if err == nil {
		_, err = file.Seek(size, io.SeekStart)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Appender{file: file, buffer: bufio.NewWriterSize(rawFile{file}, bufferSize)}, nil
}

// Write appends to the file, through a buffer. After an error every further Write and Sync returns it.
func (a *Appender) Write(p []byte) (int, error) { return a.buffer.Write(p) }

// Sync makes what was written lasting.
func (a *Appender) Sync() error {
	if err := a.buffer.Flush(); err != nil {
		return err
	}
	return try("sync", a.file.Name(), a.file.Sync)
}

// Close makes what was written lasting and closes the file.
func (a *Appender) Close() error {
	return errors.Join(a.Sync(), try("close", a.file.Name(), a.file.Close))
}

// Abort closes the file, which stays. After Close it does nothing.
func (a *Appender) Abort() { a.file.Close() }

// ReadUntil returns a reader that fails once its context is done.
func ReadUntil(ctx context.Context, from io.Reader) io.Reader { return until(ctx, from.Read) }

// WriteUntil returns a writer that fails once its context is done.
func WriteUntil(ctx context.Context, to io.Writer) io.Writer { return until(ctx, to.Write) }

func until(ctx context.Context, do interruptible) interruptible {
	return func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return do(p)
	}
}

// interruptible is the one method of a reader or a writer.
type interruptible func(p []byte) (int, error)

func (i interruptible) Read(p []byte) (int, error)  { return i(p) }
func (i interruptible) Write(p []byte) (int, error) { return i(p) }
