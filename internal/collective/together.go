// This file holds ranks that are goroutines of one process, for tests of what several ranks do.

package collective

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Together calls fn once for each rank, on goroutines of this process, with a context in which the rank works. It
// returns when all have returned, with the first error by rank that is not the loss of another. If a rank returns an
// error, or panics, the others lose it.
func Together(ctx context.Context, ranks int, fn func(ctx context.Context) error) error {
	if ranks < 1 {
		panic("collective: no ranks")
	}
	wires := make([]chan []byte, ranks*ranks)
	for i := range wires {
		wires[i] = make(chan []byte, 16)
	}
	all, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	failures := make([]error, ranks)
	var group sync.WaitGroup
	for r := range ranks {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failures[r] = fmt.Errorf("rank %d panics: %v", r, p)
				}
				if failures[r] != nil {
					stop(&LostError{Rank: r, Reason: failures[r].Error()})
				}
			}()
			failures[r] = fn(With(all, &Comm{rank: r, size: ranks, link: &wire{r, ranks, wires}}))
		})
	}
	group.Wait()
	var lost error
	for _, err := range failures {
		switch other := new(LostError); {
		case err == nil:
		case errors.As(err, &other) || errors.Is(err, context.Canceled) && context.Cause(all) != context.Canceled:
			lost = err
		default:
			return err
		}
	}
	return lost
}

// wire is the link of a rank of Together.
type wire struct {
	rank, size int
	wires      []chan []byte // from rank i to rank j: wires[i·size+j]
}

func (w *wire) exchange(ctx context.Context, to int, sent []byte, from int, received []byte) error {
	var out chan<- []byte
	var in <-chan []byte
	var copied []byte
	if to >= 0 {
		out, copied = w.wires[w.rank*w.size+to], append([]byte(nil), sent...)
	}
	if from >= 0 {
		in = w.wires[from*w.size+w.rank]
	}
	for out != nil || in != nil {
		select {
		case out <- copied:
			out = nil
		case message := <-in:
			if len(message) != len(received) {
				return fmt.Errorf("collective: rank %d expects %d bytes from rank %d and gets %d", w.rank, len(received),
					from, len(message))
			}
			copy(received, message)
			in = nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
