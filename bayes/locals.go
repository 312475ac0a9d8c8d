// This file keeps the local variables of all documents between the iterations of the batch algorithm, in files, since
// they are D×K values.

package bayes

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"

	"anchorage/bayes/internal/batch"
	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
)

// localStore holds rows of float64 in two files: those of the last iteration, and those of the iteration under way.
type localStore struct {
	width       int
	scratch     *durable.Scratch
	last, next  *durable.WorkFile
	bytes       []byte
	initialized bool // last holds rows
}

// newLocalStore makes a store in a directory.
func newLocalStore(dir string, width int) (*localStore, error) {
	l := &localStore{width: width}
	var err error
	if l.scratch, err = durable.NewScratch(dir, "locals"); err != nil {
		return nil, &RoomError{For: "the documents' variables", Err: err}
	}
	for i, file := range []**durable.WorkFile{&l.last, &l.next} {
		if *file, err = durable.CreateWork(filepath.Join(l.scratch.Path(), fmt.Sprint("locals-", i))); err != nil {
			l.close()
			return nil, &RoomError{For: "the documents' variables", Err: err}
		}
	}
	return l, nil
}

// close removes the files.
func (l *localStore) close() {
	for _, file := range []*durable.WorkFile{l.last, l.next} {
		if file != nil {
			file.Close()
		}
	}
	l.scratch.Remove()
}

// read sets rows, a whole number of them, to those of a file from document first on.
func (l *localStore) read(file *durable.WorkFile, rows []float64, first int64) error {
	l.bytes = batch.Resize(l.bytes, 8*len(rows))
	if _, err := file.ReadAt(l.bytes, 8*first*int64(l.width)); err != nil {
		return fmt.Errorf("%s: reading the documents' variables: %w", file.Name(), err)
	}
	_, err := binary.Decode(l.bytes, binary.LittleEndian, rows)
	return err
}

// write stores the next rows from document first on.
func (l *localStore) write(rows []float64, first int64) error {
	l.bytes = batch.Resize(l.bytes, 8*len(rows))
	if _, err := binary.Encode(l.bytes, binary.LittleEndian, rows); err != nil {
		return err
	}
	_, err := l.next.WriteAt(l.bytes, 8*first*int64(l.width))
	return err
}

// turn makes the next rows the last ones.
func (l *localStore) turn() {
	l.last, l.next = l.next, l.last
	l.initialized = true
}

// checkpointRows is how many documents' variables are taken at a time.
const checkpointRows = 512

// checkpoint takes the last rows of all documents.
func (l *localStore) checkpoint(v *checkpoint.Values, documents int64) {
	if v.Take(&l.initialized); !l.initialized {
		return
	}
	var rows []float64
	for first := int64(0); first < documents && v.Err() == nil; first += checkpointRows {
		size := int(min(checkpointRows, documents-first)) * l.width
		rows = slices.Grow(rows[:0], size)[:size]
		if v.Writing() {
			v.Fail(l.read(l.last, rows, first))
		}
		v.Take(&rows)
		switch {
		case !v.Reading() || v.Err() != nil:
		case len(rows) != size:
			v.Fail(fmt.Errorf("%w: it has %d variables of documents, not %d", checkpoint.ErrDamaged, len(rows), size))
		default:
			v.Fail(l.write(rows, first))
		}
	}
	if v.Reading() {
		l.turn()
	}
}

// RoomError says that working files could not be made in the directory that was given for them.
type RoomError struct {
	For string // what they would hold
	Err error  // names the path
}

func (e *RoomError) Error() string { return "making room for " + e.For + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *RoomError) Unwrap() error { return e.Err }
