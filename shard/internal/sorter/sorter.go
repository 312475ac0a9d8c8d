// Package sorter sorts records by key, stably, within a given amount of memory and beyond that in files.
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
	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
)

const (
	// mergeWays is the number of runs that are merged at a time.
	mergeWays = 64
	// MinMemory is the least Options.Memory, other than 0, in bytes. It leaves room for the buffers of a merge and
	// for records of any size.
	MinMemory = 4 << 20
)

// Options says where and in how much memory records are sorted.
type Options struct {
	Memory int64  // bytes, 0 for 256 MiB; at least MinMemory otherwise
	Dir    string // for what does not fit; empty for the system's directory for temporary files
}

const defaultMemory = 256 << 20

// Sorter sorts records stably by their keys. add takes them, sort puts them in order, next yields them.
type Sorter struct {
	memory  int
	scratch *durable.Scratch // made for the runs when the first one is written; nil before
	within  string
	arena   []byte
	records []sortRecord
	runs    []string // files, in the order of what they hold
	made    int      // runs written so far, which names them

	merge *merge // nil where all records are in memory
	at    int    // record of the memory that comes next
}

// sortRecord is a record in the arena: its key, then its payload.
type sortRecord struct {
	start        int
	key, payload int32 // lengths
}

const sortRecordBytes = 16

// New returns a sorter without records.
func New(opts Options) (*Sorter, error) {
	memory := cmp.Or(opts.Memory, defaultMemory)
	if memory < MinMemory {
		return nil, fault.Because(fault.SortMemory, "sorting needs at least %d MiB for each reader", MinMemory>>20)
	}
	return &Sorter{memory: int(min(memory, 1<<40)), within: opts.Dir}, nil
}

// Add takes a record.
func (s *Sorter) Add(key, payload []byte) error {
	size := len(key) + len(payload)
	// What append allocates beyond what is asked for, and beside the old memory while it copies, counts as well: half of
	// the limit is for the records.
	if len(s.records) > 0 && len(s.arena)+size+sortRecordBytes*(len(s.records)+1) > s.memory/2 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.records = append(s.records, sortRecord{len(s.arena), int32(len(key)), int32(len(payload))})
	s.arena = append(append(s.arena, key...), payload...)
	return nil
}

func (s *Sorter) key(r sortRecord) []byte { return s.arena[r.start : r.start+int(r.key)] }

func (s *Sorter) payload(r sortRecord) []byte {
	start := r.start + int(r.key)
	return s.arena[start : start+int(r.payload)]
}

// order sorts what is in memory. Records were added in the order of their places, which makes the sort stable.
func (s *Sorter) order() {
	slices.SortFunc(s.records, func(a, b sortRecord) int {
		return cmp.Or(bytes.Compare(s.key(a), s.key(b)), a.start-b.start)
	})
}

// spill writes what is in memory as a run.
func (s *Sorter) spill() error {
	s.order()
	path, err := s.writeRun(func(to *bufio.Writer) error {
		for _, r := range s.records {
			if err := writeRecord(to, s.key(r), s.payload(r)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.runs = append(s.runs, path)
	s.records, s.arena = s.records[:0], s.arena[:0]
	return nil
}

// writeRun writes a run and returns its path.
func (s *Sorter) writeRun(fill func(to *bufio.Writer) error) (string, error) {
	if s.scratch == nil {
		var err error
		if s.scratch, err = durable.NewScratch(s.within, "group"); err != nil {
			return "", fault.Because(fault.SortSpace, "making room for sorted rows: %w", err)
		}
	}
	path := filepath.Join(s.scratch.Path(), strconv.Itoa(s.made))
	s.made++
	file, err := durable.CreateWork(path)
	if err != nil {
		return path, err
	}
	buffer := bufio.NewWriterSize(file, 256<<10)
	for _, step := range []func() error{func() error { return fill(buffer) }, buffer.Flush, file.Close} {
		if failed := step(); err == nil {
			err = failed
		}
	}
	return path, err
}

// Sort puts the records in order; next may be called then, and add no more.
func (s *Sorter) Sort(check func() error) error {
	if len(s.runs) == 0 {
		s.order()
		return nil
	}
	if len(s.records) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.records, s.arena = nil, nil
	for len(s.runs) > mergeWays {
		if err := s.mergeRuns(check); err != nil {
			return err
		}
	}
	var err error
	s.merge, err = newMerge(s.runs, s.memory/2)
	return err
}

// mergeRuns merges every mergeWays neighbouring runs into one. Runs stay in the order of their records, which keeps the
// sort stable.
func (s *Sorter) mergeRuns(check func() error) error {
	var merged []string
	for len(s.runs) > 0 {
		some := s.runs[:min(mergeWays, len(s.runs))]
		s.runs = s.runs[len(some):]
		m, err := newMerge(some, s.memory/2)
		if err != nil {
			return err
		}
		path, err := s.writeRun(func(to *bufio.Writer) error { return m.copyTo(check, to) })
		m.close()
		if err != nil {
			return err
		}
		for _, run := range some {
			if err := os.Remove(run); err != nil {
				return err
			}
		}
		merged = append(merged, path)
	}
	s.runs = merged
	return nil
}

// Next returns the record that follows, valid until the next call, and io.EOF after the last one.
func (s *Sorter) Next() (key, payload []byte, err error) {
	if s.merge != nil {
		return s.merge.next()
	}
	if s.at == len(s.records) {
		return nil, nil, io.EOF
	}
	r := s.records[s.at]
	s.at++
	return s.key(r), s.payload(r), nil
}

// Close removes the runs. It may be called more than once.
func (s *Sorter) Close() {
	if s.merge != nil {
		s.merge.close()
		s.merge = nil
	}
	s.records, s.arena = nil, nil
	s.scratch.Remove()
	s.scratch = nil
}

// errRun says that a run does not read back as it was written.
var errRun = errors.New("a file of sorted rows is damaged")

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
