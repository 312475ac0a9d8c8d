// This file finds out from the environment whether the process was started as one of several, and begins and ends its
// part in the job.

package collective

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
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
}

// How long a rank waits at an end.
const (
	firstSpeaks = 3 * time.Second        // for rank 0 to say what has happened to all, and to end the job
	cleanUp     = 200 * time.Millisecond // for the others to end by themselves
	lastWords   = time.Second            // for MPI to end all processes
	leaveWait   = 10 * time.Second       // for the others at the end of all work
)

// Join joins the job that the process was started for. It returns a context in which the rank works, which ends if a
// message to or from another rank fails; the context as it is, and nil, for a single process. A *LaunchError says that
// the program cannot work as one of several. The caller must call End and Close.
func Join(ctx context.Context) (context.Context, *Job, error) {
	how := Launched(os.LookupEnv)
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
	comm := &Comm{rank: e.rank, size: e.size, link: e.link}
	comm.Begin("start")
	ctx = With(ctx, comm)
	comm.hosts, err = GatherJSON(ctx, comm, host)
	return ctx, &Job{comm: comm, ctx: ctx, entry: e}, err
}

// End takes the error with which the work of this rank has ended, nil if all is done, and returns the one that counts.
// If it is nil, all ranks have done their work. speak reports whether this rank should say what happened. Rank 0 speaks
// for all that fail alike or are interrupted: the others wait a moment, in which it ends the job.
func (j *Job) End(err error) (counts error, speak bool) {
	if j == nil {
		return err, true
	}
	if err == nil {
		if err = j.leave(); err == nil {
			return nil, true
		}
	}
	if j.comm.First() || errors.Is(err, context.Canceled) {
		return err, j.comm.First()
	}
	time.Sleep(firstSpeaks)
	return err, true
}

// leave ends the job when all ranks have done their work.
func (j *Job) leave() error {
	if err := j.comm.Barrier(j.ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), leaveWait)
	defer cancel()
	if err := j.entry.leave(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// Close ends the part of a process that will exit with a code. After a failure it ends all processes of the job, which
// otherwise could wait for this one for ever.
func (j *Job) Close(code int) {
	if j == nil || code == 0 {
		return
	}
	time.Sleep(cleanUp)
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

// Launch is how the process was started.
type Launch struct {
	Ranks    int    // processes that were started together; 1 for a single process, 0 if the launcher does not say
	Rank     int    // the number of this one; −1 if the launcher does not say
	Launcher string // what started them; "" for a single process
}

// Together reports whether the process is, or may be, one of several.
func (l Launch) Together() bool { return l.Launcher != "" && l.Ranks != 1 }

// launchers are the variables that launchers set, for each process that they start. A batch script of Slurm, and a task
// of an array, have neither of Slurm's: these belong to the steps that srun starts.
var launchers = []struct{ name, size, rank string }{
	{"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"a launcher with PMI", "PMI_SIZE", "PMI_RANK"},
	{"mpirun of MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
	{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
	{"a launcher with PMIx", "", "PMIX_RANK"},
}

// Launched returns how the process was started. lookup is os.LookupEnv, outside tests.
func Launched(lookup func(name string) (value string, set bool)) Launch {
	for _, l := range launchers {
		size, known := 0, false
		if text, set := lookup(l.size); set {
			n, err := strconv.Atoi(text)
			size, known = n, err == nil && n > 0
		}
		rank := -1
		if text, set := lookup(l.rank); set {
			if n, err := strconv.Atoi(text); err == nil && n >= 0 {
				rank = n
			}
		}
		if known || l.size == "" && rank >= 0 {
			return Launch{Ranks: size, Rank: rank, Launcher: l.name}
		}
	}
	return Launch{Ranks: 1}
}

// LaunchError says that a process was started as one of several, but that the program cannot work as such.
type LaunchError struct {
	Launch
	Reason string
	Built  bool // the program was built for several ranks
}

func (e *LaunchError) Error() string {
	if e.Ranks > 0 {
		return fmt.Sprintf("started as one of %d ranks by %s, but %s", e.Ranks, e.Launcher, e.Reason)
	}
	return fmt.Sprintf("started as one of several ranks by %s, but %s", e.Launcher, e.Reason)
}
