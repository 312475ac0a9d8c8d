// This file holds the points of a run at which states are written.

package checkpoint

import (
	"context"
	"time"

	"anchorage/internal/collective"
)

// Point is a place in a stage that it reaches again and again, between two steps.
type Point struct {
	chain  *Chain
	kind   string
	before func(*Values) // what comes first in every state
	loaded *Loaded       // the state to continue from; nil for a new run
}

// Point returns a point of the given kind. before takes what comes first in every state, what other stages have found;
// it may be nil. If loaded is not nil, the stage continues from that state, of which before was read already.
func (c *Chain) Point(kind string, before func(*Values), loaded *Loaded) *Point {
	if c == nil {
		return nil
	}
	return &Point{chain: c, kind: kind, before: before, loaded: loaded}
}

type pointKey struct{}

// In returns a context that carries the point to its stage.
func (p *Point) In(ctx context.Context) context.Context { return context.WithValue(ctx, pointKey{}, p) }

// PointOf returns the point that a context carries; nil without one.
func PointOf(ctx context.Context) *Point {
	p, _ := ctx.Value(pointKey{}).(*Point)
	return p
}

// Resumes reports whether there is a state to continue from, which Restore has not read yet.
func (p *Point) Resumes() bool { return p != nil && p.loaded != nil }

// Restore reads the state to continue from.
func (p *Point) Restore(state func(*Values)) error {
	loaded := p.loaded
	p.loaded = nil
	state(&loaded.Values)
	return loaded.Close()
}

// Reached says that the stage is at the point: state takes what it needs to continue from here. Reached writes it if it
// is time to. Until the stage calls Leave, what state takes must be one to continue from, of the same size, since an
// interrupt may write it.
func (p *Point) Reached(state func(*Values)) {
	if p == nil {
		return
	}
	c := p.chain
	all := func(v *Values) {
		if p.before != nil {
			p.before(v)
		}
		if state != nil {
			state(v)
		}
	}
	var size Values
	all(&size)
	c.bytes = size.size
	ranks := c.folder.ranks
	due, err := collective.GatherJSON(c.folder.ctx, ranks, ranks.First() && c.due(c.bytes))
	c.reached = time.Now()
	c.pending = func(ctx context.Context) { c.write(ctx, p.kind, all) }
	if err == nil && due[0] { // after an error the stage will see the end of its context
		c.pending(c.folder.ctx)
	}
}

// Finished is Reached at the end of a part of the run: its state is written at once, so that the part is never done
// again.
func (p *Point) Finished() {
	if p == nil {
		return
	}
	if p.Reached(nil); p.chain.pending != nil {
		p.chain.pending(p.chain.folder.ctx)
	}
}

// Leave says that the stage continues, and changes its state.
func (p *Point) Leave() {
	if p != nil {
		p.chain.pending = nil
	}
}

// Until calls release when no state needs any more what it releases: at once, unless the stage has not left the last
// point, whose state an interrupt may still write.
func (c *Chain) Until(release func()) {
	if c == nil || c.pending == nil {
		release()
		return
	}
	c.held = append(c.held, release)
}

// Until is Chain.Until.
func (p *Point) Until(release func()) {
	if p == nil {
		release()
		return
	}
	p.chain.Until(release)
}
