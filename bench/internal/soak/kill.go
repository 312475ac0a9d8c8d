// This file ends runs at random moments, and lets runs meet on one output: two that write it, and some that read it
// while it changes.

package soak

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
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

// racing are the tasks of which two runs meet.
var racing = []task{
	{name: "fit", line: "fit ../shards -k 5 -o out"},
	{name: "update-first", line: "update out ../shards -k 5", store: true},
	{name: "update-more", prepare: []string{"update out" + twoShards + " -k 5"}, line: "update out ../shards",
		store: true},
}

// race starts two runs of a task at nearly the same time, again and again. In every third pair, one is killed.
func (w *Workshop) race(ctx context.Context, t task, o *Outcome, enough int) error {
	for pair := range enough {
		if w.over() {
			break
		}
		folder, r, err := w.begin(ctx, t)
		if err != nil {
			return err
		}
		first := order{}
		if pair%3 == 2 {
			first = order{after: w.moment(r), signal: syscall.SIGKILL}
		}
		a, err := w.start(ctx, folder, first, t.line)
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(w.uniform() * w.uniform() * float64(r.time)))
		second, err := w.run(ctx, folder, order{}, t.line)
		if err != nil {
			return err
		}
		one, err := w.wait(ctx, a)
		if err != nil {
			return err
		}
		o.Disturbed++
		state, wrong := t.look(ctx, r, folder)
		if wrong == "" {
			wrong = o.raced(state, one, second)
		}
		if err := w.settle(ctx, t, r, o, folder, state, wrong, fmt.Sprintf("%v, and %v", one, second)); err != nil {
			return err
		}
	}
	o.Note = "refused are pairs of which one run was"
	return nil
}

// raced counts a pair of runs, and returns what is wrong with how they ended.
func (o *Outcome) raced(state string, ends ...*ended) (wrong string) {
	made, refused := 0, 0
	for _, e := range ends {
		switch {
		case e.code == 0:
			made++
		case e.code == 14 || e.code == 99:
			refused = 1
		case e.signal != syscall.SIGKILL:
			return "an exit code that it should not have"
		}
	}
	switch {
	case made > 1:
		return "both have made the output"
	case made > 0 && state != isNew:
		return "the output is " + state
	case state == isNew:
		o.Complete++
	}
	o.Refused += refused
	return ""
}

// readings are the tasks by which a store is read while it changes.
var readings = []task{
	{name: "topics", line: "topics out --json"},
	{name: "list", line: "store list out"},
	{name: "verify", line: "verify out"},
	{name: "transform", line: "transform out ../shards/part-00003.parquet -o documents-N"},
	{name: "compare", line: "compare out out"},
}

// read reads a store while updates change it, night after night, and keep one generation.
func (w *Workshop) read(ctx context.Context, t task, o *Outcome, enough int) error {
	folder, err := w.newFolder()
	if err != nil {
		return err
	}
	if _, err := w.must(ctx, folder, order{}, "update out"+twoShards+" -k 5 --retain 1 --refine none"); err != nil {
		return err
	}
	nights := []string{"update out ../shards/part-00002.parquet --retain 1",
		"update out --remove part-00002.parquet --retain 1"}
	for night := 0; o.Disturbed < enough && !w.over(); night++ {
		update, err := w.start(ctx, folder, order{}, nights[night%2])
		if err != nil {
			return err
		}
		for range 3 {
			line := strings.Replace(t.line, "-N", fmt.Sprint("-", o.Disturbed), 1)
			e, err := w.run(ctx, folder, order{}, line)
			if err != nil {
				return err
			}
			o.Disturbed++
			if e.code != 0 {
				o.Refused++
				o.problem("%v", e)
			} else {
				o.Complete++
			}
		}
		e, err := w.wait(ctx, update)
		if err != nil {
			return err
		}
		if e.code != 0 {
			o.problem("the update: %v", e)
		}
	}
	o.Note = "complete are those that succeeded"
	return os.RemoveAll(folder)
}
