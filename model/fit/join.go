// This file lets programs that use the library make one fit over several processes.

package fit

import (
	"context"

	"anchorage/internal/collective"
)

// Join joins the job of several processes that the program was started for, by mpirun or srun; the program must be
// built with the tag mpi. It returns the context in which this process works: corpora that are opened, and fits that
// are made in it, are those of all processes together. leave must be called at the end, with the error of the work, nil
// if all went well; it returns the error that counts, which is the loss of another process if that came first. A single
// process gets the context as it is.
//
// All processes must do the same: open the same shards with the same options, and call Create, Fit and Save alike.
// First reports which of them speaks for all. The error says that the program was started as one of several, and cannot
// work as such.
//
//	ctx, leave, err := model.Join(ctx)
//	if err == nil {
//		err = leave(work(ctx))
//	}
func Join(ctx context.Context) (joined context.Context, leave func(error) error, err error) {
	joined, job, err := collective.Join(ctx, collective.Joining{})
	if err != nil {
		return ctx, nil, err
	}
	return joined, func(failure error) error {
		counts, _ := job.End(failure)
		if counts != nil {
			job.Close(1)
		}
		return counts
	}, nil
}

// First reports whether this process is the first of those that work together in ctx, or the only one. It writes models
// and speaks for all.
func First(ctx context.Context) bool { return collective.From(ctx).First() }
