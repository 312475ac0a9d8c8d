// This file holds the spill file of the corrections. Its layout is in docs/format/corrections.md.

package rectify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"anchorage/internal/durable"
)

const (
	spillMagic      = "ACB1"
	spillHeaderSize = 24 // magic, stripe, tiles, rows of tiles, entries, checksum
)

// SpillError says that the spill file of the corrections cannot be used.
type SpillError struct {
	Path    string // the file; where it could not be made, its folder
	Doing   string // creating, writing, reading or emptying
	Damaged bool   // what was read is not what was written
	Stripe  int    // where Damaged: the block
	Err     error  // why
}

// Error says what was done to which file, and why it failed.
func (e *SpillError) Error() string {
	if e.Damaged {
		return fmt.Sprintf("rectify: the spill file of the corrections (%s) is damaged: block of stripe %d: %v", e.Path,
			e.Stripe, e.Err)
	}
	return fmt.Sprintf("rectify: %s the spill file of the corrections (%s): %v", e.Doing, e.Path, e.Err)
}

// Unwrap returns Err.
func (e *SpillError) Unwrap() error { return e.Err }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// spilledPart is the place of a block in the file.
type spilledPart struct{ offset, size int64 }

// spillFile is a file of blocks, each with the tiles of one stripe. Blocks are written as they come and read in the
// order of the stripes. Where the system allows it, the file has no name, so that nothing is left of it even if the
// process is killed.
type spillFile struct {
	path    string
	scratch *durable.Scratch // nil once the file has no name
	file    *durable.WorkFile
	limit   int64
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
func createSpill(dir string, limit int64) (*spillFile, error) {
	scratch, err := durable.NewScratch(dir, "corrections")
	if err != nil {
		return nil, &SpillError{Path: dir, Doing: "creating", Err: err}
	}
	file, err := durable.CreateWork(filepath.Join(scratch.Path(), "spill"))
	if err != nil {
		scratch.Remove()
		return nil, &SpillError{Path: dir, Doing: "creating", Err: err}
	}
	f := &spillFile{path: file.Name(), file: file, limit: limit, scratch: scratch}
	if runtime.GOOS != "windows" && scratch.Remove() == nil {
		f.scratch = nil // the open file needs no name
	}
	return f, nil
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
func (f *spillFile) close() error {
	err := f.file.Close()
	return errors.Join(err, f.scratch.Remove())
}

// failed returns the error of an operation that the system refused.
func (f *spillFile) failed(what string, err error) error {
	return &SpillError{Path: f.path, Doing: what, Err: err}
}

// damaged returns the error for a block that is not what was written.
func (f *spillFile) damaged(s int, why error) error {
	return &SpillError{Path: f.path, Doing: "reading", Damaged: true, Stripe: s, Err: why}
}

// write appends b.packed as the block of stripe s. Several goroutines may write at once.
func (f *spillFile) write(s int, b *buffer) (spilledPart, error) {
	b.encoded = appendBlock(b.encoded[:0], s, &b.packed)
	part := spilledPart{size: int64(len(b.encoded))}
	f.mu.Lock()
	part.offset = f.end
	fits := f.limit == 0 || f.end+part.size <= f.limit
	if fits {
		f.end += part.size
	}
	f.mu.Unlock()
	if !fits {
		return part, &CorrectionsError{Mode: CorrectionsSpill, Limit: f.limit}
	}
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

// decode unpacks the block of stripe s, which fetch has read.
func (f *spillFile) decode(s int, part spilledPart, b *buffer) error {
	if int64(len(b.encoded)) != part.size {
		return f.damaged(s, fmt.Errorf("%d bytes instead of %d", len(b.encoded), part.size))
	}
	if err := decodeBlock(b.encoded, s, &b.packed); err != nil {
		return f.damaged(s, err)
	}
	return nil
}

// appendBlock appends the block of stripe s.
func appendBlock(to []byte, s int, p *packed) []byte {
	to = slices.Grow(to, spillHeaderSize+2*len(p.tiles)+len(p.counts)+5*len(p.values))
	start := len(to)
	to = append(to, spillMagic...)
	for _, n := range []int{s, len(p.tiles), len(p.counts), len(p.values), 0} {
		to = binary.LittleEndian.AppendUint32(to, uint32(n))
	}
	for _, n := range p.tiles {
		to = binary.LittleEndian.AppendUint16(to, n)
	}
	to = append(append(to, p.counts...), p.columns...)
	for _, v := range p.values {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	binary.LittleEndian.PutUint32(to[start+spillHeaderSize-4:], blockSum(to[start:]))
	return to
}

// blockSum returns the checksum of a block, over all of it but the checksum.
func blockSum(block []byte) uint32 {
	sum := crc32.Checksum(block[:spillHeaderSize-4], castagnoli)
	return crc32.Update(sum, castagnoli, block[spillHeaderSize:])
}

// decodeBlock unpacks the block of stripe s into the memory of p.
func decodeBlock(block []byte, s int, p *packed) error {
	if len(block) < spillHeaderSize || string(block[:4]) != spillMagic {
		return errors.New("it does not begin like a block")
	}
	var field [5]int
	for i := range field {
		field[i] = int(binary.LittleEndian.Uint32(block[4+4*i:]))
	}
	if field[4] != int(blockSum(block)) {
		return errors.New("its checksum is wrong")
	}
	tiles, counts, entries := field[1], field[2], field[3]
	if field[0] != s {
		return fmt.Errorf("it is the block of stripe %d", field[0])
	}
	if len(block) != spillHeaderSize+2*tiles+counts+entryBytes*entries {
		return fmt.Errorf("%d bytes do not hold %d tiles, %d rows and %d entries", len(block), tiles, counts, entries)
	}
	rest := block[spillHeaderSize:]
	p.reset()
	p.tiles = slices.Grow(p.tiles, tiles)[:tiles]
	for i := range p.tiles {
		p.tiles[i] = binary.LittleEndian.Uint16(rest[2*i:])
	}
	rest = rest[2*tiles:]
	p.counts = append(p.counts, rest[:counts]...)
	p.columns = append(p.columns, rest[counts:counts+entries]...)
	rest = rest[counts+entries:]
	p.values = slices.Grow(p.values, entries)[:entries]
	for i := range p.values {
		p.values[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
	}
	return nil
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
		if f.limit > 0 && (i+1)*int64(len(piece)) > f.limit {
			break
		}
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
	if r.write == 0 {
		return &CorrectionsError{Mode: CorrectionsSpill, Limit: f.limit}
	}
	r.read = r.write
	return f.empty()
}

// takeRates updates r by what was measured since the last call.
func (f *spillFile) takeRates(r *rates) {
	r.write, r.read = f.written.perSecond(r.write), f.read.perSecond(r.read)
	f.written, f.read = flow{}, flow{}
}
