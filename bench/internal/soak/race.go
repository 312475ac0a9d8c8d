// This file lets runs meet on one output: two that write it, and some that read it while it changes.

package soak

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

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
		case oneOf(e.code, 14, 99):
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
