// Package collective lets several processes, the ranks of one job, work on one fit: the same program runs in each of
// them, with the same options, and they meet in the operations of this package.
//
// A Comm is one rank's end. A nil Comm is the only rank of one: every operation returns at once what it was given. All
// ranks must call the same operations in the same order, from one goroutine at a time.
//
// The context of a job has its Comm (With, From). Only what opens, saves or restores asks for it there. Everything else
// gets it as the matrix.Layout of a corpus or of a matrix: Rows says which rows a rank holds, by sections that depend
// only on the number of rows (matrix.Sections), and Of returns the Comm of a layout. Mathematics uses package
// internal/kernel, whose functions take layouts and matrices.
//
// Messages go through a link, which only sends bytes to another rank and receives an expected number of bytes. There
// are two: one between goroutines of one process (Together), for tests, and MPI (build tag mpi). No other package names
// MPI.
//
// If a rank cannot continue, its job cannot either: it ends all processes (Job.Close), and the launcher does so if it
// dies.
package collective

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"unsafe"

	"anchorage/matrix"
)

// link carries messages between ranks. Messages from one rank to another arrive in the order in which they were sent.
type link interface {
	// exchange sends a message to rank to and receives one of exactly len(received) bytes from rank from, at the same
	// time; −1 leaves a side out. It returns when both are done. sent is not used afterwards.
	exchange(ctx context.Context, to int, sent []byte, from int, received []byte) error
}

// Comm is the end of one rank of a job of several. It is used by one goroutine at a time. A nil Comm is the only rank
// of one.
type Comm struct {
	rank, size int
	link       link
	fail       context.CancelCauseFunc // ends the rank's context
	busy       sync.Mutex
	stage      string
	stages     []string // in the order in which they began
	moved      map[string]Traffic
	hosts      []string // of the ranks; nil if they are not known
}

// Traffic is what a rank has sent: bytes without the headers of messages, and messages.
type Traffic struct {
	Bytes    int64 `json:"bytes"`
	Messages int64 `json:"messages"`
}

type key struct{}

// With returns a context in which c works, and ends if c fails. c may be nil.
func With(ctx context.Context, c *Comm) context.Context {
	if c == nil {
		return ctx
	}
	ctx, c.fail = context.WithCancelCause(ctx)
	return context.WithValue(ctx, key{}, c)
}

// From returns the rank that works in a context; nil if it is the only one.
func From(ctx context.Context) *Comm {
	c, _ := ctx.Value(key{}).(*Comm)
	return c
}

// Layout returns c as the layout of what the ranks share; nil if there is no other rank.
func (c *Comm) Layout() matrix.Layout {
	if c.Size() == 1 {
		return nil
	}
	return c
}

// Of returns the ranks that share what has a layout; nil if it is not shared.
func Of(layout matrix.Layout) *Comm {
	if layout == nil {
		return nil
	}
	return layout.(*Comm)
}

// Rank returns the number of the rank, from 0.
func (c *Comm) Rank() int {
	if c == nil {
		return 0
	}
	return c.rank
}

// Size returns the number of ranks.
func (c *Comm) Size() int {
	if c == nil {
		return 1
	}
	return c.size
}

// Host returns the host of a rank; "" if it is not known.
func (c *Comm) Host(rank int) string {
	if c == nil || c.hosts == nil {
		return ""
	}
	return c.hosts[rank]
}

// First reports whether this is rank 0, which writes and speaks for all.
func (c *Comm) First() bool { return c.Rank() == 0 }

// Begin says that what is sent from now on belongs to a stage.
func (c *Comm) Begin(stage string) {
	if c != nil {
		c.stage = stage
	}
}

// Moved returns what this rank has sent in each stage, and the stages in their order.
func (c *Comm) Moved() (stages []string, moved map[string]Traffic) {
	if c == nil {
		return nil, nil
	}
	return c.stages, maps.Clone(c.moved)
}

// Rows returns the range [first, last) of n rows that this rank holds.
func (c *Comm) Rows(n int) (first, last int) { return c.RowsOf(c.Rank(), n) }

// RowsOf returns the range [first, last) of n rows that a rank holds: whole sections, as evenly as possible.
func (c *Comm) RowsOf(rank, n int) (first, last int) {
	count := matrix.Sections(n)
	return sectionStart(n, rank*count/c.Size()), sectionStart(n, (rank+1)*count/c.Size())
}

// sectionStart returns the first row of a section, or n after the last.
func sectionStart(n, section int) int {
	if section == matrix.Sections(n) {
		return n
	}
	first, _ := matrix.Section(n, section)
	return first
}

// Owner returns the rank that holds a row of n.
func (c *Comm) Owner(n, row int) int {
	if c == nil {
		return 0
	}
	section, count := matrix.SectionOf(n, row), matrix.Sections(n)
	// The last rank whose first section is not beyond it.
	rank := section * c.size / count
	for rank+1 < c.size && (rank+1)*count/c.size <= section {
		rank++
	}
	return rank
}

// LostError says that another rank ended or failed, or that it cannot be reached.
type LostError struct {
	Rank   int    // the rank that was lost; −1 if it is not known
	Reason string // what happened
}

func (e *LostError) Error() string {
	if e.Rank < 0 {
		return "a rank was lost: " + e.Reason
	}
	return fmt.Sprintf("rank %d was lost: %s", e.Rank, e.Reason)
}

// pieceBytes bounds a message, as the link over MPI does. Longer ones go in pieces.
const pieceBytes = 16 << 20

// exchange sends and receives in pieces, and counts what is sent.
func (c *Comm) exchange(ctx context.Context, to int, sent []byte, from int, received []byte) error {
	if to >= 0 {
		t, begun := c.moved[c.stage]
		if !begun {
			c.stages = append(c.stages, c.stage)
		}
		if c.moved == nil {
			c.moved = make(map[string]Traffic)
		}
		bytes := int64(len(sent))
		c.moved[c.stage] = Traffic{Bytes: t.Bytes + bytes, Messages: t.Messages + (bytes+pieceBytes-1)/pieceBytes}
	}
	for len(sent) > 0 && to >= 0 || len(received) > 0 && from >= 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		out, in, target, origin := sent[:min(len(sent), pieceBytes)], received[:min(len(received), pieceBytes)], to, from
		if len(out) == 0 {
			target = -1
		}
		if len(in) == 0 {
			origin = -1
		}
		if err := c.link.exchange(ctx, target, out, origin, in); err != nil {
			if c.fail != nil {
				c.fail(err)
			}
			return err
		}
		sent, received = sent[len(out):], received[len(in):]
	}
	return nil
}

// enter takes the Comm for an operation. Two at a time are a mistake of the caller: ranks would take them in different
// orders.
func (c *Comm) enter() func() {
	if !c.busy.TryLock() {
		panic("collective: two operations at a time")
	}
	return c.busy.Unlock
}

// Value is what operations move.
type Value interface {
	~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// bytesOf returns the memory of some values. All ranks run on machines of one kind, so their bytes mean the same.
func bytesOf[T Value](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}
