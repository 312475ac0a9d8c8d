// This file holds the spill file of the corrections.

package rectify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"anchorage/internal/durable"
	"anchorage/sketch"
)

// SpillError says that the spill file of the corrections cannot be used.
type SpillError = sketch.SpillError

// SpilledCorrections is SpillError.Of of the corrections.
const SpilledCorrections = "corrections"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// spilledPart is a block in the file: where it is, how many tiles, rows of tiles and entries it has, and its checksum.
type spilledPart struct {
	offset, size           int64
	tiles, counts, entries int
	sum                    uint32
}

// spillFile is a file of blocks, each with the tiles of one stripe: the numbers of packed one after the other,
// little-endian. Blocks are written as they come and read in the order of the stripes.
type spillFile struct {
	path    string
	file    *durable.Spill
	mu      sync.Mutex
	end     int64
	written flow
	read    flow
}

// flow is a number of bytes, and the time it took to write or read them.
type flow struct {
	bytes int64
	time  time.Duration
}

// perSecond returns the rate, or before if nothing went through.
func (f flow) perSecond(before float64) float64 {
	if f.bytes == 0 || f.time <= 0 {
		return before
	}
	return float64(f.bytes) / f.time.Seconds()
}

// createSpill makes an empty spill file in a folder; an empty dir means the system's folder for temporary files.
func createSpill(dir string) (*spillFile, error) {
	file, err := durable.CreateSpill(dir, "corrections")
	if err != nil {
		return nil, &SpillError{Of: SpilledCorrections, Path: dir, Doing: "creating", Err: err}
	}
	return &spillFile{path: file.Name(), file: file}, nil
}

// empty removes all blocks and gives their place on the disk back.
func (f *spillFile) empty() error {
	f.end = 0
	if err := f.file.Truncate(0); err != nil {
		return f.failed("emptying", err)
	}
	return nil
}

// close removes the file.
func (f *spillFile) close() error { return f.file.Close() }

// failed returns the error of an operation that the system refused.
func (f *spillFile) failed(what string, err error) error {
	return &SpillError{Of: SpilledCorrections, Path: f.path, Doing: what, Err: err}
}

// damaged returns the error for a block that is not what was written.
func (f *spillFile) damaged(s int, why error) error {
	return &SpillError{Of: SpilledCorrections, Path: f.path, Doing: "reading", Damaged: true,
		Err: fmt.Errorf("block of stripe %d: %w", s, why)}
}

// write appends b.packed as a block. Several goroutines may write at once.
func (f *spillFile) write(b *buffer) (spilledPart, error) {
	p := &b.packed
	b.encoded = appendBlock(b.encoded[:0], p)
	part := spilledPart{size: int64(len(b.encoded)), tiles: len(p.tiles), counts: len(p.counts), entries: len(p.values),
		sum: crc32.Checksum(b.encoded, castagnoli)}
	f.mu.Lock()
	part.offset = f.end
	f.end += part.size
	f.mu.Unlock()
	begin := time.Now()
	if _, err := f.file.WriteAt(b.encoded, part.offset); err != nil {
		return part, f.failed("writing", err)
	}
	f.note(&f.written, part.size, time.Since(begin))
	return part, nil
}

func (f *spillFile) note(to *flow, bytes int64, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to.bytes += bytes
	to.time += took
}

// fetch reads the block of stripe s, if it has one, into b.encoded.
func (c *corrections) fetch(s int, b *buffer) error {
	st, f := &c.stripes[s], c.spill
	if st.place != inFile {
		return nil
	}
	b.encoded = slices.Grow(b.encoded[:0], int(st.spilled.size))[:st.spilled.size]
	begin := time.Now()
	n, err := f.file.ReadAt(b.encoded, st.spilled.offset)
	if n < len(b.encoded) {
		if errors.Is(err, io.EOF) {
			return f.damaged(s, fmt.Errorf("it ends after %d of %d bytes", n, len(b.encoded)))
		}
		return f.failed("reading", err)
	}
	f.note(&f.read, st.spilled.size, time.Since(begin))
	return nil
}

// decode unpacks the block of stripe s, which fetch has read, into b.packed.
func (f *spillFile) decode(s int, part *spilledPart, b *buffer) error {
	if crc32.Checksum(b.encoded, castagnoli) != part.sum {
		return f.damaged(s, errors.New("its checksum is wrong"))
	}
	part.unpack(b.encoded, &b.packed)
	return nil
}

// appendBlock appends the numbers of p.
func appendBlock(to []byte, p *packed) []byte {
	to = slices.Grow(to, 2*len(p.tiles)+len(p.counts)+entryBytes*len(p.values))
	for _, n := range p.tiles {
		to = binary.LittleEndian.AppendUint16(to, n)
	}
	to = append(append(to, p.counts...), p.columns...)
	for _, v := range p.values {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	return to
}

// unpack sets p to the numbers of a block.
func (part *spilledPart) unpack(block []byte, p *packed) {
	p.reset()
	p.tiles = slices.Grow(p.tiles, part.tiles)[:part.tiles]
	for i := range p.tiles {
		p.tiles[i] = binary.LittleEndian.Uint16(block[2*i:])
	}
	block = block[2*part.tiles:]
	p.counts = append(p.counts, block[:part.counts]...)
	block = block[part.counts:]
	p.columns = append(p.columns, block[:part.entries]...)
	block = block[part.entries:]
	p.values = slices.Grow(p.values, part.entries)[:part.entries]
	for i := range p.values {
		p.values[i] = math.Float32frombits(binary.LittleEndian.Uint32(block[4*i:]))
	}
}

// probe measures how fast the disk writes. Until blocks have been read, reading is assumed to be as fast: what was just
// written would come from memory.
func (f *spillFile) probe(r *rates) error {
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = byte(i * i >> 3) // data that a disk cannot compress to nothing
	}
	const pieces = 16
	begin := time.Now()
	for i := range int64(pieces) {
		if _, err := f.file.WriteAt(piece, i*int64(len(piece))); err != nil {
			return f.failed("writing", err)
		}
		f.written.bytes += int64(len(piece))
	}
	if err := f.file.Sync(); err != nil {
		return f.failed("writing", err)
	}
	f.written.time += time.Since(begin)
	f.takeRates(r)
	r.read = r.write
	return f.empty()
}

// takeRates updates r by what was measured since the last call.
func (f *spillFile) takeRates(r *rates) {
	r.write, r.read = f.written.perSecond(r.write), f.read.perSecond(r.read)
	f.written, f.read = flow{}, flow{}
}
