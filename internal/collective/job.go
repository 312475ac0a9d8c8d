// This file begins and ends the part of a process in a job of several.

package collective

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// entry is what a link gives a process that joins a job.
type entry struct {
	rank, size int
	link       link
	leave      func(ctx context.Context) error // ends the link on all ranks
	abort      func(code int)                  // ends all processes of the job
}

// Job is the part of this process in a job of several. A nil Job is that of a single process.
type Job struct {
	comm  *Comm
	ctx   context.Context
	entry *entry
	watch *watch
}

// How long a rank waits at an end. MPI's launchers kill the other processes about a second after one has failed.
const (
	newsPause  = 250 * time.Millisecond // for news of another rank, before a signal is taken for an interrupt, or a failure for another's own
	lastWords  = time.Second            // until others have heard of a failure
	detailWait = 2 * time.Second        // for the reason why a message did not arrive
	leaveWait  = 10 * time.Second       // for the others at the end of all work
)

// Joining says how a process joins.
type Joining struct {
	// Lost is called once, as soon as another rank is lost, from another goroutine: the work may take a while to notice, and the launcher may end
	// the process before.
	Lost func(*LostError)
	// Unwatched is called if ranks cannot reach the watch of rank 0. The job continues without it: then only the launcher ends the job when a rank is lost.
	Unwatched func(ranks []int, err error)
}

// Join joins the job that the process was started for. It returns a context in which the rank works, which ends if a rank is lost or interrupted;
// the context as it is, and nil, for a single process. A *LaunchError says that the program cannot work as one of several. The
// caller must call End and Close.
func Join(ctx context.Context, joining Joining) (context.Context, *Job, error) {
	how := launched()
	if !how.Together() {
		return ctx, nil, nil
	}
	e, err := dial(ctx, how)
	if err != nil {
		return ctx, nil, err
	}
	if e.size == 1 {
		return ctx, nil, e.leave(ctx)
	}
	host, err := os.Hostname()
	if err != nil {
		host = fmt.Sprintf("the host of rank %d", e.rank)
	}
	return begin(ctx, e, host, joining)
}

// begin begins a job over a link.
func begin(ctx context.Context, e *entry, host string, joining Joining) (context.Context, *Job, error) {
	comm := &Comm{rank: e.rank, size: e.size, link: e.link}
	comm.Begin("start")
	joined := With(context.WithoutCancel(ctx), comm)
	watch := newWatch(comm, joining.Lost)
	job := &Job{comm: comm, ctx: joined, entry: e, watch: watch}
	context.AfterFunc(ctx, func() { watch.signalled(context.Cause(ctx)) })
	if err := watch.connect(joined, host, joining.Unwatched); err != nil {
		return ctx, job, err
	}
	return joined, job, nil
}

// End takes the error with which the work of this rank has ended, nil if all is done, and returns the one that counts, which is the loss of another
// rank if that came first. If it is nil, all ranks have done their work. Otherwise the others are told. speak reports whether this rank should
// say what happened: Lost was told of losses already, rank 0 speaks for all that failed alike, and of interrupts.
func (j *Job) End(err error) (counts error, speak bool) {
	if j == nil {
		return err, true
	}
	if err == nil {
		if err = j.leave(); err == nil {
			return nil, true
		}
	}
	return j.watch.fail(err)
}

// leave ends the job when all ranks have done their work.
func (j *Job) leave() error {
	if err := j.comm.Barrier(j.ctx); err != nil {
		return err
	}
	j.watch.close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), leaveWait)
	defer cancel()
	if err := j.entry.leave(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// Close ends the part of a process that will exit with a code. After a failure it waits until the others know of it, a second at most. If one
// of them cannot know, all processes are ended.
func (j *Job) Close(code int) {
	if j == nil || code == 0 {
		return
	}
	if j.watch.linger() {
		return
	}
	done := make(chan struct{})
	go func() {
		j.entry.abort(code)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(lastWords):
	}
}
