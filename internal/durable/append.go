// This file writes a file that grows, of which the caller knows how much is good.

package durable

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

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
