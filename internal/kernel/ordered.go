// This file holds a parallel loop whose results are taken in order, for sums that must not depend on who is first.

package kernel

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Ordered calls up to three functions for each of n items. Read, which may be nil, runs on one goroutine, in order and
// ahead of the others. Work runs on at most workers goroutines, in no particular order. Commit, which may be nil, runs
// for one item after the other, in order. Item i has slot i mod slots to itself from its read to its commit. So slots
// bounds how far reading and working run ahead: at most slots−1 items wait for a slower one.
//
// After the first error, or once ctx is done, no further call starts; that error is returned when all calls have
// returned.
func Ordered(ctx context.Context, workers, n, slots int, read, work, commit func(i, slot int) error) error {
	if slots < 1 {
		panic("kernel: an ordered loop without slots")
	}
	workers = min(Workers(workers), n, slots)
	if read == nil && workers <= 1 {
		return inOrder(ctx, n, slots, work, commit)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	o := &ordered{n: n, slots: slots, done: make([]bool, slots), readsAhead: read != nil}
	o.changed.L = &o.mu
	stop := context.AfterFunc(groupCtx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stopped = true
		o.changed.Broadcast()
	})
	defer stop()
	if read != nil {
		group.Go(func() error { return o.readAll(read) })
	}
	for range workers {
		group.Go(func() error { return o.workOn(work, commit) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// inOrder is Ordered on the caller's goroutine.
func inOrder(ctx context.Context, n, slots int, work, commit func(i, slot int) error) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := work(i, i%slots); err != nil {
			return err
		}
		if commit == nil {
			continue
		}
		if err := commit(i, i%slots); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ordered is the state of a loop. Items below committed are finished, work on those below taken has begun, and those
// below reads have been read.
type ordered struct {
	n, slots   int
	readsAhead bool

	mu                      sync.Mutex
	changed                 sync.Cond
	reads, taken, committed int
	done                    []bool // of the items worked on and not committed, by slot
	committing, stopped     bool
}

// readAll reads item after item as slots become free.
func (o *ordered) readAll(read func(i, slot int) error) error {
	for i := range o.n {
		o.mu.Lock()
		for !o.stopped && i >= o.committed+o.slots {
			o.changed.Wait()
		}
		stopped := o.stopped
		o.mu.Unlock()
		if stopped {
			return nil
		}
		if err := read(i, i%o.slots); err != nil {
			return err
		}
		o.mu.Lock()
		o.reads++
		o.changed.Broadcast()
		o.mu.Unlock()
	}
	return nil
}

// workOn takes items until none is left, and commits what can be committed.
func (o *ordered) workOn(work, commit func(i, slot int) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for !o.stopped && o.taken < o.n && o.taken >= o.ready() {
			o.changed.Wait()
		}
		if o.stopped || o.taken == o.n {
			return nil
		}
		i := o.taken
		o.taken++
		if err := o.unlocked(work, i); err != nil {
			return err
		}
		o.done[i%o.slots] = true
		// The goroutine that commits also commits what the others have finished meanwhile.
		for !o.committing && !o.stopped && o.done[o.committed%o.slots] {
			next := o.committed
			o.committing = true
			err := o.unlocked(commit, next)
			o.committing = false
			if err != nil {
				return err
			}
			o.done[next%o.slots] = false
			o.committed++
			o.changed.Broadcast()
		}
	}
}

// ready returns the first item that cannot be worked on yet.
func (o *ordered) ready() int {
	if o.readsAhead {
		return o.reads
	}
	return o.committed + o.slots
}

// unlocked calls fn, unless it is nil, without the lock.
func (o *ordered) unlocked(fn func(i, slot int) error, i int) error {
	if fn == nil {
		return nil
	}
	o.mu.Unlock()
	defer o.mu.Lock()
	return fn(i, i%o.slots)
}
