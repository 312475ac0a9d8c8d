// This file ends runs at random moments.

package soak

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// mostEnds is how many runs in a row are ended at most, before one may finish.
const mostEnds = 6

// kill ends runs of a task by kill -9 at moments drawn at random, half of them of time and half of operations on files,
// until there were enough. Between them it looks at what is there.
func (w *Workshop) kill(ctx context.Context, t task, o *Outcome, enough int) error {
	return w.disturb(ctx, t, o, enough, func(r *reference) order {
		if w.uniform() < 0.5 {
			return order{fault: fmt.Sprintf("kill@%d", 1+w.below(len(r.operations)))}
		}
		return order{after: w.moment(r), signal: syscall.SIGKILL}
	})
}

// terminate does the same by SIGTERM, after which a run must end with code 13, by itself.
func (w *Workshop) terminate(ctx context.Context, t task, o *Outcome, enough int) error {
	return w.disturb(ctx, t, o, enough,
		func(r *reference) order { return order{after: w.moment(r), signal: syscall.SIGTERM} })
}

// moment draws a moment in the time that a run takes.
func (w *Workshop) moment(r *reference) time.Duration {
	return time.Millisecond + time.Duration(w.uniform()*float64(r.time))
}

// disturb ends runs of a task until there were enough.
func (w *Workshop) disturb(ctx context.Context, t task, o *Outcome, enough int, next func(*reference) order) error {
	for o.Disturbed < enough && !w.over() {
		if err := w.episode(ctx, t, o, min(1+w.below(mostEnds), enough-o.Disturbed), next); err != nil {
			return err
		}
	}
	return nil
}

// episode ends some runs of a task in a row and lets one finish.
func (w *Workshop) episode(ctx context.Context, t task, o *Outcome, times int, next func(*reference) order) error {
	folder, r, err := w.begin(ctx, t)
	if err != nil {
		return err
	}
	state := isOld
	for range times {
		earlier, err := t.listing(folder)
		if err != nil {
			return err
		}
		e, err := w.run(ctx, folder, next(r), t.line)
		if err != nil {
			return err
		}
		if e.code == 13 || e.signal == syscall.SIGKILL || e.signal == syscall.SIGTERM { // else it was over before
			o.Disturbed++
			o.Refused++
		}
		before, wrong := state, ""
		if state, wrong, err = w.afterEnd(ctx, t, r, o, folder, earlier, e); err != nil {
			return err
		}
		if before == isNew && state == isOld {
			wrong = "the old output is back"
		}
		if wrong != "" {
			o.problem("after %v: %s", e, wrong)
			return nil // the folder stays for who wants to look
		}
		if state == isNew {
			break
		}
	}
	wrong, err := w.finish(ctx, t, r, folder, state)
	if err != nil {
		return err
	}
	if wrong != "" {
		o.problem("%s", wrong)
		return nil
	}
	return os.RemoveAll(folder)
}

// afterEnd looks at what a run has left that was ended, or not. Earlier are the names that were there before it.
func (w *Workshop) afterEnd(ctx context.Context, t task, r *reference, o *Outcome, folder string, earlier []string,
	e *ended) (state, wrong string, err error) {
	interrupted := e.code == 13
	names, err := t.listing(folder)
	if err != nil {
		return "", "", err
	}
	switch {
	case e.signal == syscall.SIGTERM && !slices.Equal(names, earlier):
		// Else it had not begun, and nothing could catch the signal.
		return "", "SIGTERM killed it", nil
	case interrupted:
		o.Slowest = max(o.Slowest, e.late)
	case e.signal == 0 && e.code != 0:
		return "", "it ended by itself", nil
	}
	if state, wrong = t.look(ctx, r, folder); wrong != "" {
		return state, wrong, nil
	}
	more := r.beyond(names)
	o.Left = max(o.Left, len(more))
	if interrupted && !t.resumes && len(more) > 0 {
		return state, fmt.Sprintf("an interrupted run leaves %q", more), nil
	}
	switch {
	case e.code == 0 && state != isNew:
		return state, "code 0 without the new output", nil
	case state == isNew && e.code != 0:
		o.Complete++
	}
	return state, "", nil
}

// over reports whether the time of the run is.
func (w *Workshop) over() bool { return !w.deadline.IsZero() && time.Now().After(w.deadline) }

// oneOf reports whether a code is among some.
func oneOf(code int, codes ...int) bool { return slices.Contains(codes, code) }
