// This file writes the states of a part of a run, and finds the newest that can be read.

package checkpoint

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/internal/durable"
)

const (
	magic   = "ANCHSTAT"
	version = 1
	// stateEnding ends the names of states: CHAIN-NUMBER.state.
	stateEnding = ".state"
	generations = 2 // states that are kept
	mostHeader  = 1 << 30
	leadSize    = len(magic) + 8 // magic, version, length of the header
	bufferSize  = 1 << 18
)

// assumedSpeed and assumedSync are what the writing of the first state is expected to take: bytes per second, and a
// time for all.
const (
	assumedSpeed = 100 << 20
	assumedSync  = 20 * time.Millisecond
	// flushTime is the most that the writing of a state may take after an interrupt.
	flushTime = time.Second
)

// header is the JSON at the beginning of a state.
type header struct {
	Kind  string `json:"kind"`
	Facts []Fact `json:"facts"`
}

// Chain is the states of one part of a run. Only the newest counts.
type Chain struct {
	folder  *Folder
	name    string
	number  int                   // of the newest state
	since   time.Time             // when the last state was written
	reached time.Time             // when the last point was reached
	took    time.Duration         // to write the last state; 0 before the first
	size    int64                 // of the last state
	pending func(context.Context) // writes the state of the last point, while the stage has not left it
	bytes   int64                 // of that state
	held    []func()              // see Until
}

// Chain begins or continues the chain of a name.
func (f *Folder) Chain(name string) *Chain {
	if f == nil {
		return nil
	}
	c := &Chain{folder: f, name: name, since: time.Now(), reached: time.Now()}
	f.chains = append(f.chains, c)
	return c
}

// Loaded is a state that was found. Its values must be read in the order in which they were written; then it must be
// closed.
type Loaded struct {
	Values
	header
	file *os.File
}

// Close ends the reading. It returns an error if values failed.
func (l *Loaded) Close() error {
	if l == nil {
		return nil
	}
	if l.file != nil { // of several ranks only rank 0 reads one
		l.file.Close() // it was only read
	}
	return l.err
}

// Load returns the newest state that is not damaged; nil without one. The error wraps ErrChanged if the state belongs
// to a run with other facts. If there are states, but none can be read, it says why, and wraps ErrDamaged where they
// are damaged. After the end of the folder's context it is that of the context.
func (c *Chain) Load() (*Loaded, error) {
	if c == nil {
		return nil, nil
	}
	ctx, ranks := c.folder.ctx, c.folder.ranks
	var loaded *Loaded
	var err error
	if ranks.First() {
		loaded, err = c.newest()
	}
	return shareLoaded(ctx, ranks, loaded, err)
}

// newest is Load for rank 0.
func (c *Chain) newest() (*Loaded, error) {
	numbers, err := c.numbers()
	if err != nil {
		return nil, err
	}
	var damage error
	for _, number := range slices.Backward(numbers) {
		c.number = max(c.number, number)
		loaded, err := OpenState(c.folder.ctx, c.path(number))
		switch {
		case err != nil && c.folder.ctx.Err() != nil:
			return nil, err
		case err != nil: // it is damaged, or the disk does not give it back
			c.folder.options.Log.Warn("a state of the checkpoint cannot be read: using the one before", "file",
				c.path(number), "error", err)
			damage = errors.Join(damage, fmt.Errorf("%s: %w", c.path(number), err))
			continue
		}
		if changed := c.folder.differs(loaded.Facts); changed != nil {
			loaded.Close()
			return nil, changed
		}
		c.folder.options.Log.Info("resuming", "part", c.name, "at", loaded.Kind, "checkpoint", c.folder.path)
		return loaded, nil
	}
	return nil, damage
}

// numbers returns the numbers of the states, increasing.
func (c *Chain) numbers() ([]int, error) {
	entries, err := os.ReadDir(c.folder.path)
	var numbers []int
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), c.name+"-")
		text, state := strings.CutSuffix(rest, stateEnding)
		if number, err := strconv.Atoi(text); ours && state && err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

func (c *Chain) path(number int) string {
	return filepath.Join(c.folder.path, fmt.Sprintf("%s-%06d%s", c.name, number, stateEnding))
}

// VerifyState compares a state, a file of a checkpoint, with its checksum. The error wraps ErrDamaged if it is not what
// was written.
func VerifyState(ctx context.Context, path string) error {
	loaded, err := OpenState(ctx, path)
	if err != nil {
		return err
	}
	return loaded.Close()
}

// States returns the states of the checkpoint at path, its files that have checksums.
func States(path string) ([]string, error) {
	return filepath.Glob(filepath.Join(path, "*"+stateEnding))
}

// OpenState opens a state for reading, whatever run it is of: it checks the checksum and reads the header. The error is
// that of VerifyState.
func OpenState(ctx context.Context, path string) (_ *Loaded, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, io.LimitReader(durable.ReadUntil(ctx, file), info.Size()-4)); err != nil {
		return nil, err
	}
	tail := make([]byte, 4)
	if _, err := io.ReadFull(file, tail); err != nil || binary.LittleEndian.Uint32(tail) != sum.Sum32() {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	l := &Loaded{file: file} // only rank 0 opens
	l.ctx = ctx
	l.from, l.left = bufio.NewReaderSize(durable.ReadUntil(ctx, file), bufferSize), info.Size()-4
	return l, l.readHeader()
}

// readHeader reads everything before the values.
func (l *Loaded) readHeader() error {
	lead := make([]byte, leadSize)
	if l.transfer(lead); l.err != nil {
		return l.err
	}
	known, size := binary.LittleEndian.Uint32(lead[len(magic):]), binary.LittleEndian.Uint32(lead[len(magic)+4:])
	switch {
	case string(lead[:len(magic)]) != magic:
		return fmt.Errorf("%w: it does not begin as a state does", ErrDamaged)
	case known != version:
		return fmt.Errorf("%w: it has version %d, and this program reads version %d", ErrDamaged, known, version)
	case size > mostHeader || int64(size) > l.left:
		return fmt.Errorf("%w: it claims a header of %d bytes", ErrDamaged, size)
	}
	text := make([]byte, size)
	if l.transfer(text); l.err != nil {
		return l.err
	}
	if err := json.Unmarshal(text, &l.header); err != nil {
		return fmt.Errorf("%w: its header: %v", ErrDamaged, err)
	}
	return nil
}

// write writes a state and removes those that are no longer needed. A state that cannot be written is logged, and the
// run continues: the one before is still there. Once ctx is done, it gives up.
//
// Of several ranks, all call write, and rank 0 writes. The others give it what they hold, whether or not it can write.
func (c *Chain) write(ctx context.Context, kind string, state func(*Values)) {
	begun := time.Now()
	c.pending = nil
	ranks, taken := c.folder.ranks, false
	if !ranks.First() {
		state(&Values{ctx: ctx, ranks: ranks, to: io.Discard})
		return
	}
	err := durable.WriteFile(c.path(c.number+1), func(w io.Writer) error {
		text, err := json.Marshal(header{Kind: kind, Facts: c.folder.facts})
		if err != nil {
			return err
		}
		v := &Values{ctx: ctx, ranks: ranks, to: durable.WriteUntil(ctx, w)}
		v.transfer([]byte(magic))
		v.transfer(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, version), uint32(len(text))))
		v.transfer(text)
		taken = true
		state(v)
		v.transfer(binary.LittleEndian.AppendUint32(nil, v.sum))
		c.size = v.size
		return errors.Join(v.err, v.unwritten)
	})
	if !taken && ranks.Size() > 1 {
		state(&Values{ctx: ctx, ranks: ranks, to: io.Discard}) // for the other ranks
	}
	c.since, c.took = time.Now(), time.Since(begun)
	log := c.folder.options.Log
	if ctx.Err() != nil && err != nil {
		return
	}
	if err != nil {
		log.Warn("no checkpoint could be written", "folder", c.folder.path, "at", kind, "error", err)
		return
	}
	c.number++
	log.Debug("checkpoint", "part", c.name, "at", kind, "bytes", c.size, "seconds", c.took.Seconds())
	numbers, _ := c.numbers()
	for _, old := range numbers[:max(len(numbers)-generations, 0)] {
		if err := durable.Remove(c.path(old)); err != nil {
			log.Warn("an old state of the checkpoint cannot be removed", "file", c.path(old), "error", err)
		}
	}
}

// due reports whether to write a state of the given size now.
func (c *Chain) due(bytes int64) bool {
	o := &c.folder.options
	if o.Every < 0 {
		return true
	}
	now := time.Now()
	elapsed, step := now.Sub(c.since), now.Sub(c.reached)
	cost := c.cost(bytes)
	return elapsed >= time.Duration(float64(cost)*(1/o.Share-1)) || elapsed >= o.Every ||
		!o.Until.IsZero() && elapsed > cost && now.Add(step+cost).After(o.Until)
}

// cost returns how long the writing of a state of the given size takes.
func (c *Chain) cost(bytes int64) time.Duration {
	if c.took == 0 || c.size == 0 {
		return assumedSync + time.Duration(float64(bytes)/assumedSpeed*float64(time.Second))
	}
	return max(c.took, time.Duration(float64(c.took)*float64(bytes)/float64(c.size)))
}
