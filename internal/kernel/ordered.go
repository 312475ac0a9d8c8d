// This file holds a parallel loop whose results are taken in order, for sums that must not depend on who is first.

package kernel

import (
	"context"

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
		return Parallel(ctx, 1, n, func(i int) error {
			if err := work(i, i%slots); err != nil || commit == nil {
				return err
			}
			return commit(i, i%slots)
		})
	}
	group, running := errgroup.WithContext(ctx)
	free, tasks, done := make(chan struct{}, slots), make(chan int, slots), make([]chan struct{}, slots)
	for slot := range slots {
		free <- struct{}{}
		done[slot] = make(chan struct{}, 1)
	}
	await := func(from <-chan struct{}) error {
		select {
		case <-from:
		case <-running.Done():
		}
		return running.Err()
	}
	group.Go(func() error {
		defer close(tasks)
		for i := range n {
			if err := await(free); err != nil {
				return err
			}
			if read != nil {
				if err := read(i, i%slots); err != nil {
					return err
				}
			}
			tasks <- i // there is always room: as many as there are slots
		}
		return nil
	})
	for range workers {
		group.Go(func() error {
			for i := range tasks {
				if err := running.Err(); err != nil {
					return err
				}
				if err := work(i, i%slots); err != nil {
					return err
				}
				done[i%slots] <- struct{}{}
			}
			return nil
		})
	}
	group.Go(func() error {
		for i := range n {
			if err := await(done[i%slots]); err != nil {
				return err
			}
			if commit != nil {
				if err := commit(i, i%slots); err != nil {
					return err
				}
			}
			free <- struct{}{}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
