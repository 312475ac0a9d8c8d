// Package pipeline runs numbered tasks in parallel and delivers their results in order, with bounded memory. It starts
// all goroutines of a pass over documents. A Pipeline may run several times, one after the other; goroutine safety is
// stated at each function field.
package pipeline

import (
	"context"
	"io"

	"golang.org/x/sync/errgroup"
)

// Pipeline runs numbered tasks on workers and delivers what they yield: in order of the tasks, and within a task in the
// order in which it came.
type Pipeline[B any] struct {
	Workers int
	Tasks   int
	// Depth is the number of buffers of each worker. A worker that has filled all of them waits until the first is
	// delivered. This bounds the memory of a pass, and how far decoding runs ahead of delivery.
	Depth int
	// Do does a task, on a worker. It calls part for each part of the results, with a function that overwrites a buffer,
	// and returns the first error of part. With io.EOF, of that function, the task is complete.
	Do func(ctx context.Context, task int, part func(fill func(buffer *B) error) error) error
	// NewBuffer makes a buffer. Each worker calls it at most Depth times.
	NewBuffer func() *B
	// Deliver receives a buffer, which is valid until it returns. Run calls it on its caller's goroutine.
	Deliver func(task int, buffer *B) error
	// Retire receives each buffer after its delivery, on the same goroutine.
	Retire func(buffer *B)
}

// item is what a worker sends: a buffer to deliver and to return to its owner, or, without one, the error that ends the
// task; nil if it is complete.
type item[B any] struct {
	buffer *B
	owner  chan<- *B
	err    error
}

// job is a task and the lane for its items. A lane has room for all items that a worker can send for one task before
// the receiver must take one.
type job[B any] struct {
	task int
	lane chan<- item[B]
}

// Run does all tasks. It returns the first error in the order of delivery, of a task or of Deliver, or that of ctx once
// ctx is done. All goroutines have ended when it returns or panics.
func (p *Pipeline[B]) Run(ctx context.Context) error {
	// If every task fills a single buffer, this many tasks keep all buffers in use.
	window := min(p.Workers*p.Depth, p.Tasks)
	jobs := make(chan job[B], window)
	workCtx, cancel := context.WithCancel(ctx)
	var group errgroup.Group
	defer group.Wait() // the workers return no error: they send theirs along the lanes
	defer close(jobs)
	defer cancel()
	for range min(p.Workers, p.Tasks) {
		group.Go(func() error {
			p.work(workCtx, jobs)
			return nil
		})
	}
	lanes := make([]chan item[B], window)
	for i := range lanes {
		lanes[i] = make(chan item[B], p.Depth+1)
	}
	next := 0
	for task := range p.Tasks {
		for ; next < min(task+window, p.Tasks); next++ {
			jobs <- job[B]{task: next, lane: lanes[next%window]}
		}
		if err := p.drain(ctx, task, lanes[task%window]); err != nil {
			return err
		}
	}
	return nil
}

// drain delivers the items of a task's lane.
func (p *Pipeline[B]) drain(ctx context.Context, task int, lane <-chan item[B]) error {
	for {
		var received item[B]
		select {
		case received = <-lane:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if received.buffer == nil {
			return received.err
		}
		if err := p.Deliver(task, received.buffer); err != nil {
			return err
		}
		p.Retire(received.buffer)
		received.owner <- received.buffer // it has room for all buffers of the worker
	}
}

// work does jobs until none is left. It cannot deadlock: tasks begin in order, so a worker waits only for buffers of
// the same task or of an earlier one, and those are delivered without it.
func (p *Pipeline[B]) work(ctx context.Context, jobs <-chan job[B]) {
	free := make(chan *B, p.Depth)
	made := 0
	buffer := func() (*B, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		select {
		case b := <-free:
			return b, nil
		default:
		}
		if made < p.Depth {
			made++
			return p.NewBuffer(), nil
		}
		select {
		case b := <-free:
			return b, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for job := range jobs {
		job.lane <- item[B]{err: p.do(ctx, job, buffer, free)}
	}
}

// do sends the items of one task along its lane, and returns the error that ended it.
func (p *Pipeline[B]) do(ctx context.Context, job job[B], buffer func() (*B, error), free chan *B) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := p.Do(ctx, job.task, func(fill func(*B) error) error {
		b, err := buffer()
		if err != nil {
			return err
		}
		if err := fill(b); err != nil {
			free <- b
			return err
		}
		job.lane <- item[B]{buffer: b, owner: free}
		return nil
	})
	if err == io.EOF {
		return nil
	}
	return err
}
