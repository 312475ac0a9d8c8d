// This file keeps the memory of all requests together within a limit: a body is read, and its answer made, from memory
// that the request has taken before.

package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"sync"
	"time"

	"anchorage/internal/process"
	"anchorage/internal/web"
)

const (
	patience   = time.Second     // how long a request waits for memory
	leastBody  = 16 << 10        // bytes that the first piece of a body takes
	bodyGrace  = 3 * time.Second // how late a body may be at any moment
	bodyRate   = 16 << 10        // bytes per second of the slowest body
	expansion  = 8               // the memory that a body is expected to need, in multiples of its length
	itemBytes  = 48              // of an item of a request: its id, its count, and lists that grow
	shareBytes = 40              // of a topic's share in an answer: the number, its place in the order, its text
	// requestShare is the part of the memory beside the model that requests may take. The collector needs the rest.
	requestShare = 0.6
	// libraryShare is the part of the machine's memory that requests may take in a process without a limit.
	libraryShare = 0.25
)

// requestMemory returns how much memory requests may take together, in bytes. The model is loaded.
func requestMemory() int64 {
	limit := process.MemoryLimit()
	if limit == 0 {
		return int64(libraryShare * float64(process.MemoryRoom().Bytes))
	}
	runtime.GC()
	return max(int64(requestShare*float64(limit-process.InUse())), leastBody)
}

// budget is memory that requests share.
type budget struct {
	mu           sync.Mutex
	limit, taken int64         // bytes
	freed        chan struct{} // closed when memory is given back
}

// limitTo sets the limit.
func (b *budget) limitTo(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = bytes
	b.wake()
}

// atMost returns n, or the limit if that is less.
func (b *budget) atMost(n int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(n, b.limit)
}

// wake lets waiting requests look again. The caller holds the lock.
func (b *budget) wake() {
	if b.freed != nil {
		close(b.freed)
	}
	b.freed = make(chan struct{})
}

// raise makes a claim n bytes large. If there is too little memory now, it returns what is closed when another try may
// be worth it.
func (b *budget) raise(c *claim, n int64) (bool, <-chan struct{}, *web.Problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.limit {
		return false, nil,
			tooLarge("the request needs about %d KiB of memory, and the server has %d KiB for requests: send fewer documents",
				n>>10, b.limit>>10)
	}
	if b.taken+n-c.held > b.limit {
		return false, b.freed, nil
	}
	b.taken += n - c.held
	c.held = n
	return true, nil, nil
}

// claim is the memory of one request.
type claim struct {
	of   *budget
	held int64
}

// raise makes the claim n bytes large, or leaves it larger. It waits a while for others to give theirs back.
func (c *claim) raise(ctx context.Context, n int64) error {
	if n <= c.held {
		return nil
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		taken, freed, never := c.of.raise(c, n)
		switch {
		case never != nil:
			return never
		case taken:
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			return web.Problemf(http.StatusServiceUnavailable, web.Overloaded, "other requests take all memory: try again later")
		}
	}
}

// lower gives memory back, down to n bytes.
func (c *claim) lower(n int64) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.taken -= c.held - n
	c.held = n
	c.of.wake()
}

// readBody reads the body of a request. It takes memory for the whole once the first piece is there, so a request that
// has begun can end. A body that is slower than bodyRate ends with an error, so clients that stall hold little, and not
// for long.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, held *claim) ([]byte, error) {
	if r.ContentLength == 0 {
		return nil, nil
	}
	from, connection, began := http.MaxBytesReader(w, r.Body, s.opts.MaxBody), http.NewResponseController(w), time.Now()
	var text []byte
	for {
		if len(text) == cap(text) {
			grown := s.grown(cap(text), r.ContentLength)
			if err := held.raise(r.Context(), max(held.held, s.memory.atMost(expansion*int64(grown)),
				int64(cap(text)+grown))); err != nil {
				return nil, err
			}
			text = append(make([]byte, 0, grown), text...)
		}
		due := bodyGrace + time.Duration(len(text))*time.Second/bodyRate
		_ = connection.SetReadDeadline(began.Add(min(due, s.opts.Timeout))) // only a connection has one
		n, err := from.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			_ = connection.SetReadDeadline(time.Time{})
			return text, nil
		}
		if err != nil {
			return nil, unread(err)
		}
	}
}

// grown returns the room to make for a body that fills its present room. length is what the client says, -1 if it does
// not.
func (s *Server) grown(room int, length int64) int {
	switch {
	case room == 0:
		return leastBody
	case length < 0:
		return 2 * room
	}
	return int(max(min(length, s.opts.MaxBody), int64(room))) + bytes.MinRead // the end is one more read
}

// needs returns about how much memory a request takes until its answer is sent: the body twice, because the decoder has
// a copy, its items, and the topics of its documents.
func (s *Server) needs(body []byte, topics int) int64 {
	documents := min(bytes.Count(body, []byte{'{'}), s.opts.MaxDocuments)
	return int64(3*cap(body) + itemBytes*bytes.Count(body, []byte{','}) + shareBytes*topics*documents)
}
