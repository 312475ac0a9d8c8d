// This file saves and restores a fit, so that it can continue as if it had not been interrupted. The layout is in
// docs/format/checkpoint.md.

package bayes

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"anchorage/bayes/internal/batch"
)

const (
	checkpointMagic   = "ANCHBAYE"
	checkpointVersion = 1
	mostHeader        = 1 << 28 // the most bytes of JSON in a checkpoint
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkpointHeader is the JSON at the beginning of a checkpoint, before its numbers.
type checkpointHeader struct {
	Input   string    `json:"input"` // what was read, as the caller names it
	Options Options   `json:"options"`
	Corpus  Totals    `json:"corpus"`
	Plan    Plan      `json:"plan"`
	Step    int64     `json:"step"`
	Seen    int64     `json:"seen"`
	Scores  []HeldOut `json:"scores"`
	Locals  bool      `json:"locals"`           // the documents' variables follow
	Priors  []float64 `json:"priors,omitempty"` // c₀, a₀ and b₀ if they are learned; Options have those of the beginning
}

// Save writes a checkpoint. Input is any text that identifies the documents; Restore must get the same.
func (f *Fitter) Save(w io.Writer, input string) error {
	s := f.State
	lead := checkpointHeader{Input: input, Options: s.begun, Corpus: s.Corpus, Plan: f.Plan, Step: s.Step,
		Seen: s.Seen, Scores: f.Scores, Locals: f.locals != nil && f.locals.initialized}
	if s.Options.LearnPriors {
		lead.Priors = []float64{s.Options.C0, s.Options.A0, s.Options.B0}
	}
	header, err := json.Marshal(lead)
	if err != nil {
		return err
	}
	c := &summed{to: bufio.NewWriterSize(w, 1<<18), sum: crc32.New(castagnoli)}
	c.Write([]byte(checkpointMagic))
	c.Write(binary.LittleEndian.AppendUint32(nil, checkpointVersion))
	c.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	c.Write(header)
	c.floats([]float64{s.scale, float64(len(f.Bounds))})
	for _, values := range [][]float64{f.Bounds, s.sums, s.rates, s.locations, s.joint} {
		c.floats(values)
	}
	for v := range s.Corpus.Items {
		c.floats(s.excess.Row(v))
	}
	if f.locals != nil && f.locals.initialized && c.err == nil {
		c.err = f.locals.save(c, s.Corpus.Documents)
	}
	if c.err == nil {
		_, c.err = c.to.Write(binary.LittleEndian.AppendUint32(nil, c.sum.Sum32()))
	}
	if c.err != nil {
		return c.err
	}
	return c.to.Flush()
}

// summed is a writer that keeps its first error and a checksum.
type summed struct {
	to    *bufio.Writer
	sum   hash.Hash32
	bytes []byte
	err   error
}

func (c *summed) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	c.sum.Write(p) // a hash never fails
	var n int
	n, c.err = c.to.Write(p)
	return n, c.err
}

func (c *summed) floats(values []float64) {
	c.bytes = c.bytes[:0]
	for _, v := range values {
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, math.Float64bits(v))
	}
	c.Write(c.bytes)
}

// Restore brings a new fit to the point at which Save wrote a fit of the same options, documents and plan; only the number of epochs or
// iterations and the tolerance may differ. An error that wraps ErrCheckpoint says why the checkpoint cannot be used. After an
// error the fit cannot be used either.
func (f *Fitter) Restore(r io.Reader, input string) error {
	in := &sourced{from: bufio.NewReaderSize(r, 1<<18), sum: crc32.New(castagnoli)}
	header, err := in.header()
	if err != nil {
		return err
	}
	s := f.State
	if err := f.agrees(header, input); err != nil {
		return err
	}
	lead := make([]float64, 2)
	in.floats(lead)
	if in.err == nil && !(lead[1] >= 0 && lead[1] <= float64(header.Step)) {
		return fmt.Errorf("%w: it has %v bounds of %d iterations", ErrCheckpoint, lead[1], header.Step)
	}
	if in.err == nil {
		f.Bounds = make([]float64, int(lead[1]))
	}
	for _, values := range [][]float64{f.Bounds, s.sums, s.rates, s.locations, s.joint} {
		in.floats(values)
	}
	for v := range s.Corpus.Items {
		in.floats(s.excess.Row(v))
	}
	if header.Locals && in.err == nil {
		in.err = f.locals.restore(in, s.Corpus.Documents)
	}
	want := in.sum.Sum32()
	var tail [4]byte
	if _, err := io.ReadFull(in.from, tail[:]); err != nil && in.err == nil {
		in.err = err
	}
	switch {
	case errors.Is(in.err, io.EOF), errors.Is(in.err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it is cut off", ErrCheckpoint)
	case in.err != nil:
		return in.err
	case binary.LittleEndian.Uint32(tail[:]) != want:
		return fmt.Errorf("%w: its checksum is wrong", ErrCheckpoint)
	}
	s.scale, s.Step, s.Seen, f.Scores = lead[0], header.Step, header.Seen, header.Scores
	if s.Options.LearnPriors {
		s.Options.C0, s.Options.A0, s.Options.B0 = header.Priors[0], header.Priors[1], header.Priors[2]
		f.engine = newEngine(s)
	}
	if s.locations != nil {
		s.transpose()
	}
	return nil
}

// agrees returns an error if the checkpoint belongs to another fit.
func (f *Fitter) agrees(h *checkpointHeader, input string) error {
	s := f.State
	plan := h.Plan
	plan.Epochs, plan.Iterations, plan.Tolerance = f.Plan.Epochs, f.Plan.Iterations, f.Plan.Tolerance
	h.Options.Workers = s.begun.Workers
	mine := &s.Corpus
	switch {
	case h.Options != s.begun:
		return fmt.Errorf("%w: it was made with other options: %+v, not %+v", ErrCheckpoint, h.Options, s.begun)
	case plan != f.Plan:
		return fmt.Errorf("%w: it was made by another plan: %+v, not %+v", ErrCheckpoint, h.Plan, f.Plan)
	case h.Corpus.Items != mine.Items || h.Corpus.Documents != mine.Documents || h.Corpus.Tokens != mine.Tokens || h.Input != input:
		return fmt.Errorf("%w: it was made from other documents or items", ErrCheckpoint)
	case h.Locals && f.locals == nil, h.Step < 0, h.Seen < 0, s.Options.LearnPriors != (len(h.Priors) == 3):
		return fmt.Errorf("%w: its header contradicts itself", ErrCheckpoint)
	}
	return nil
}

// sourced is a reader that keeps its first error and a checksum.
type sourced struct {
	from  *bufio.Reader
	sum   hash.Hash32
	bytes []byte
	err   error
}

func (c *sourced) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.sum.Write(p[:n])
	return n, err
}

func (c *sourced) floats(values []float64) {
	if c.err != nil {
		return
	}
	c.bytes = batch.Resize(c.bytes, 8*len(values))
	if _, c.err = io.ReadFull(c, c.bytes); c.err != nil {
		return
	}
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(c.bytes[8*i:]))
	}
}

// header reads everything before the numbers.
func (c *sourced) header() (*checkpointHeader, error) {
	lead := make([]byte, len(checkpointMagic)+8)
	if _, err := io.ReadFull(c, lead); err != nil || string(lead[:len(checkpointMagic)]) != checkpointMagic {
		return nil, fmt.Errorf("%w: it does not begin as a checkpoint does", ErrCheckpoint)
	}
	version, size := binary.LittleEndian.Uint32(lead[len(checkpointMagic):]), binary.LittleEndian.Uint32(lead[len(checkpointMagic)+4:])
	switch {
	case version != checkpointVersion:
		return nil, fmt.Errorf("%w: it has version %d, and this program reads version %d", ErrCheckpoint, version, checkpointVersion)
	case size > mostHeader:
		return nil, fmt.Errorf("%w: it claims a header of %d bytes", ErrCheckpoint, size)
	}
	text, err := io.ReadAll(io.LimitReader(c, int64(size)))
	if err != nil || len(text) < int(size) {
		return nil, fmt.Errorf("%w: it is cut off", ErrCheckpoint)
	}
	header := &checkpointHeader{}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, fmt.Errorf("%w: its header: %v", ErrCheckpoint, err)
	}
	return header, nil
}

// VerifyCheckpoint reads a checkpoint and compares it with its checksum. An error that wraps ErrCheckpoint says what is wrong with it.
func VerifyCheckpoint(r io.Reader) error {
	in := &sourced{from: bufio.NewReaderSize(r, 1<<18), sum: crc32.New(castagnoli)}
	if _, err := in.header(); err != nil {
		return err
	}
	var tail []byte // the last bytes so far, which may be the checksum
	buffer := make([]byte, 1<<18)
	for {
		n, err := in.from.Read(buffer)
		tail = append(tail, buffer[:n]...)
		if rest := len(tail) - 4; rest > 0 {
			in.sum.Write(tail[:rest]) // a hash never fails
			tail = append(tail[:0], tail[rest:]...)
		}
		switch {
		case err == io.EOF && len(tail) < 4:
			return fmt.Errorf("%w: it is cut off", ErrCheckpoint)
		case err == io.EOF && binary.LittleEndian.Uint32(tail) != in.sum.Sum32():
			return fmt.Errorf("%w: its checksum is wrong", ErrCheckpoint)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
