// This file limits how many requests are at work at the same time.

package serve

import (
	"context"
	"errors"
)

// errBusy says that too many requests wait already.
var errBusy = errors.New("too many requests are waiting")

// gate lets a number of requests in, and a number of others wait.
type gate struct {
	inside  chan struct{}
	waiting chan struct{}
}

func newGate(inside, waiting int) *gate {
	return &gate{make(chan struct{}, inside), make(chan struct{}, waiting)}
}

// enter waits for a place and returns errBusy if there is none to wait at, or the error of ctx. A nil error obliges to leave.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.inside <- struct{}{}:
		return nil
	default:
	}
	select {
	case g.waiting <- struct{}{}:
	default:
		return errBusy
	}
	defer func() { <-g.waiting }()
	select {
	case g.inside <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.inside }
