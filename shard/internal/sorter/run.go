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
	"slices"

	"anchorage/internal/durable"
	"anchorage/shard/internal/bag"
)

// errRun says that a run does not read back as it was written.
var errRun = errors.New("a file of sorted rows is damaged")

// writeRun makes a file of a run and fills it.
func writeRun(path string, fill func(to *bufio.Writer) error) error {
	file, err := durable.CreateWork(path)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(file, 256<<10)
	for _, step := range []func() error{func() error { return fill(buffer) }, buffer.Flush, file.Close} {
		if failed := step(); err == nil {
			err = failed
		}
	}
	return err
}

// writeRecord writes a record of a run: the lengths of key and payload as uvarints, then both.
func writeRecord(to *bufio.Writer, key, payload []byte) error {
	var head [2 * binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(len(key)))
	n += binary.PutUvarint(head[n:], uint64(len(payload)))
	to.Write(head[:n]) // a buffer keeps its first error
	to.Write(key)
	_, err := to.Write(payload)
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
func (m *merge) copyTo(check func() error, to *bufio.Writer) error {
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
		if err := writeRecord(to, key, payload); err != nil {
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
