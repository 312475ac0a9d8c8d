// This file keeps the memory of all requests together within a limit: a body is read, and its answer made, from memory
// that the request has taken before.

package serve

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

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
	limit int64 // bytes
	free  *semaphore.Weighted
}

func newBudget(limit int64) *budget { return &budget{limit, semaphore.NewWeighted(limit)} }

// claim is the memory of one request.
type claim struct {
	of   *budget
	held int64
}

// raise makes the claim n bytes large, or leaves it larger. It waits a while for others to give theirs back.
func (c *claim) raise(ctx context.Context, n int64) error {
	switch {
	case n <= c.held:
		return nil
	case n > c.of.limit:
		return tooLarge("the request needs about %d KiB of memory, and the server has %d KiB for requests: "+
			"send fewer documents", n>>10, c.of.limit>>10)
	}
	waiting, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := c.of.free.Acquire(waiting, n-c.held); err != nil {
		return cmp.Or[error](ctx.Err(), web.Problemf(http.StatusServiceUnavailable, web.Overloaded,
			"other requests take all memory: try again later"))
	}
	c.held = n
	return nil
}

// lower gives memory back, down to n bytes.
func (c *claim) lower(n int64) {
	c.of.free.Release(c.held - n)
	c.held = n
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
			if err := held.raise(r.Context(), max(held.held, min(expansion*int64(grown), held.of.limit),
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
