// Package pipeline decodes in parallel and delivers in order, with bounded memory. It starts all goroutines of a pass over
// documents.
package pipeline

import (
	"context"
	"io"

	"golang.org/x/sync/errgroup"
)

// Source yields what there is to decode in one task, a buffer at a time. It belongs to one worker.
type Source[B any] interface {
	// Fill overwrites the buffer with what follows, or returns io.EOF when nothing does.
	Fill(buffer *B) error
	// Close releases what the source holds.
	Close()
}

// Pipeline runs numbered tasks on workers and delivers what they yield: in order of the tasks, and within a task in the
// order in which it came.
type Pipeline[B any] struct {
	Workers int
	Tasks   int
	// Depth is how many buffers each worker owns. A worker that has filled all of them waits until the first is delivered:
	// this bounds the memory of a pass, and how far tasks behind the one being delivered are decoded ahead.
	Depth int
	// Open begins a task. It is called by the workers, like the methods of the source it returns.
	Open func(ctx context.Context, task int) (Source[B], error)
	// NewBuffer makes a buffer. It is called by the workers, at most depth times by each.
	NewBuffer func() *B
	// Deliver takes a buffer, which is valid until it returns. It is called on the goroutine of Run's caller.
	Deliver func(task int, buffer *B) error
	// Retire is called with each buffer after its delivery.
	Retire func(buffer *B)
}

// item is what a worker sends: a buffer to deliver and give back to its owner, or the error that ends the task, io.EOF if
// it is complete.
type item[B any] struct {
	buffer *B
	owner  chan<- *B
	err    error
}

// job is a task and the lane it sends its items along. A lane takes all that a worker can send for one task without
// waiting for the receiver.
type job[B any] struct {
	task int
	lane chan<- item[B]
}

// Run does all tasks. The error is that of the first task, in order, that fails, or deliver's, whichever comes first in
// the order of delivery, or ctx's once ctx is done. All goroutines have ended when it returns or panics.
func (p *Pipeline[B]) Run(ctx context.Context) error {
	// Where every task fills a single buffer, this many keep all buffers in use.
	window := min(p.Workers*p.Depth, p.Tasks)
	jobs := make(chan job[B], window)
	workCtx, cancel := context.WithCancel(ctx)
	var group errgroup.Group
	defer group.Wait() // the workers return no error: theirs go along the lanes
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

// drain delivers what comes along a task's lane.
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
		if received.err == io.EOF {
			return nil
		}
		if received.err != nil {
			return received.err
		}
		if err := p.Deliver(task, received.buffer); err != nil {
			return err
		}
		p.Retire(received.buffer)
		received.owner <- received.buffer // has room for all buffers of the worker
	}
}

// work does jobs until there are none left. Deadlock is impossible: tasks are begun in order, so a worker waits only for
// buffers of its own task or of one before it, and those are delivered without it.
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

// do sends all of one task along its lane and returns the error that ended it, io.EOF if it is complete.
func (p *Pipeline[B]) do(ctx context.Context, job job[B], buffer func() (*B, error), free chan *B) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	source, err := p.Open(ctx, job.task)
	if err != nil {
		return err
	}
	defer source.Close()
	for {
		b, err := buffer()
		if err != nil {
			return err
		}
		if err := source.Fill(b); err != nil {
			free <- b
			return err
		}
		job.lane <- item[B]{buffer: b, owner: free}
	}
}
