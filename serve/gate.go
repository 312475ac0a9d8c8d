// This file limits how many requests are at work at the same time.

package serve

import "context"

// gate lets a number of requests work, and a number of others wait. A request that a slow client sends or receives has
// no place.
type gate struct {
	places chan struct{} // of all requests
	inside chan struct{} // of those at work
}

func newGate(inside, waiting int) *gate {
	return &gate{make(chan struct{}, inside+waiting), make(chan struct{}, inside)}
}

// arrive takes a place, and reports whether one was free. Then the caller must call goAway.
func (g *gate) arrive() bool {
	select {
	case g.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g *gate) goAway() { <-g.places }

// enter waits for its turn to work, or returns the error of ctx. After a nil error the caller must call leave.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.inside <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.inside }
