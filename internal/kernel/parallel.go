// This file spreads work over goroutines.

package kernel

import (
	"cmp"
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Workers returns n where it is positive, and otherwise the number of processors that Go code may use.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Parallel calls fn(i) once for every i in [0, n), on at most workers goroutines, in no particular order, and returns
// when all calls have returned. After the first error, or once ctx is done, no further call starts; that error is
// returned. With one worker the calls happen in order on the caller's goroutine.
func Parallel(ctx context.Context, workers, n int, fn func(i int) error) error {
	workers = min(Workers(workers), n)
	if workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(i); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	var next atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := groupCtx.Err(); err != nil {
					return err
				}
				if err := fn(i); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// Ranges is Parallel for ranges [first, last) of size numbers, the last maybe of fewer, that make up [0, n).
func Ranges(ctx context.Context, workers, n, size int, fn func(first, last int) error) error {
	return Parallel(ctx, workers, (n+size-1)/size, func(i int) error { return fn(i*size, min((i+1)*size, n)) })
}

// ParallelWith is Parallel for calls that need room to work in and cannot fail: each goroutine calls begin once, and
// then the function that it returned.
func ParallelWith(ctx context.Context, workers, n int, begin func() func(i int)) error {
	var next atomic.Int64
	return Parallel(ctx, workers, min(Workers(workers), n), func(int) error {
		fn := begin()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			fn(i)
		}
		return nil
	})
}

// ParallelAll is Parallel for calls that are all made even if some fail. It returns the error of the least i, so that
// the error does not depend on the number of workers.
func ParallelAll(ctx context.Context, workers, n int, fn func(i int) error) error {
	failures := make([]error, n)
	err := Parallel(ctx, workers, n, func(i int) error {
		failures[i] = fn(i)
		return nil
	})
	return cmp.Or(err, cmp.Or(failures...))
}

// Each is Parallel for work that can neither fail nor be cancelled.
func Each(workers, n int, fn func(i int)) { each(context.Background(), workers, n, fn) }

// each is Parallel for work that cannot fail. Once ctx is done, calls are left out.
func each(ctx context.Context, workers, n int, fn func(i int)) {
	_ = Parallel(ctx, workers, n, func(i int) error { // its only error is that of ctx, which callers ask for
		fn(i)
		return nil
	})
}

// Await calls fn on a separate goroutine. It returns nil when fn has returned, or the error of ctx once that is done.
// In the second case fn continues: what it writes must never be used, and nothing else may write what it reads.
func Await(ctx context.Context, fn func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fn()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
