// This file holds the runs of the external sort on disk: how they are written, read and merged.

package sorter

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"anchorage/internal/durable"
	"anchorage/shard/internal/bag"
)

// errRun says that a run does not read back as it was written.
var errRun = errors.New("a file of sorted rows is damaged")

// runWriter writes a run: for each record the lengths of key and payload as uvarints, then both.
type runWriter struct {
	path   string
	file   *durable.WorkFile
	buffer *bufio.Writer
}

func newRunWriter(dir string, number int) (*runWriter, error) {
	w := &runWriter{path: filepath.Join(dir, strconv.Itoa(number))}
	var err error
	if w.file, err = durable.CreateWork(w.path); err != nil {
		return nil, err
	}
	w.buffer = bufio.NewWriterSize(w.file, 256<<10)
	return w, nil
}

func (w *runWriter) write(key, payload []byte) error {
	var head [2 * binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(len(key)))
	n += binary.PutUvarint(head[n:], uint64(len(payload)))
	for _, part := range [][]byte{head[:n], key, payload} {
		if _, err := w.buffer.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (w *runWriter) close() error {
	err := w.buffer.Flush()
	if closing := w.file.Close(); err == nil {
		err = closing
	}
	return err
}

// runReader reads a run. record is the current record; its first key bytes are the key.
type runReader struct {
	file   *os.File
	buffer *bufio.Reader
	turn   int // number of the run: of equal keys, those of earlier runs come first
	record []byte
	key    int
}

// advance reads the next record. The error is io.EOF after the last one.
func (r *runReader) advance() error {
	key, err := binary.ReadUvarint(r.buffer)
	if err != nil {
		return err
	}
	payload, err := binary.ReadUvarint(r.buffer)
	if err != nil || key > 2*bag.MaxItemBytes || payload > 2*bag.MaxItemBytes {
		return errRun
	}
	r.key = int(key)
	r.record = slices.Grow(r.record[:0], int(key+payload))[:key+payload]
	if _, err := io.ReadFull(r.buffer, r.record); err != nil {
		return errRun
	}
	return nil
}

// merge yields the records of several runs in order.
type merge struct {
	runs    []*runReader // that have a record left, in the order of their records
	all     []*runReader
	started bool
}

// newMerge opens runs with buffers of memory bytes in all.
func newMerge(paths []string, memory int) (*merge, error) {
	m := new(merge)
	for i, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			m.close()
			return nil, err
		}
		r := &runReader{file: file, buffer: bufio.NewReaderSize(file, min(1<<20, memory/len(paths))), turn: i}
		m.all = append(m.all, r)
		if err := m.advance(r); err != nil {
			m.close()
			return nil, err
		}
	}
	return m, nil
}

// advance reads the next record of a run and puts the run in its place; a run without one is dropped.
func (m *merge) advance(r *runReader) error {
	if err := r.advance(); err == io.EOF {
		return nil
	} else if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(m.runs, r, func(a, b *runReader) int {
		return cmp.Or(bytes.Compare(a.record[:a.key], b.record[:b.key]), cmp.Compare(a.turn, b.turn))
	})
	m.runs = slices.Insert(m.runs, at, r)
	return nil
}

// next returns the record that follows, valid until the next call.
func (m *merge) next() (key, payload []byte, err error) {
	if m.started && len(m.runs) > 0 {
		first := m.runs[0]
		m.runs = slices.Delete(m.runs, 0, 1)
		if err := m.advance(first); err != nil {
			return nil, nil, err
		}
	}
	m.started = true
	if len(m.runs) == 0 {
		return nil, nil, io.EOF
	}
	first := m.runs[0]
	return first.record[:first.key], first.record[first.key:], nil
}

// copyTo writes all records to a run.
func (m *merge) copyTo(check func() error, w *runWriter) error {
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			if err := check(); err != nil {
				return err
			}
		}
		key, payload, err := m.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.write(key, payload); err != nil {
			return err
		}
	}
}

func (m *merge) close() {
	for _, r := range m.all {
		r.file.Close()
	}
	m.all = nil
}
