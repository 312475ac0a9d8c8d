// This file holds the flag by which tasks that know nothing of each other share the work on shards.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/spf13/pflag"

	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/shard"
)

// dealing is how shards are dealt among tasks.
type dealing struct {
	text   string
	task   shard.Task
	record *model.TasksRecord // nil until shards were dealt, and without tasks
}

func (d *dealing) add(flags *pflag.FlagSet) {
	flags.StringVar(&d.text, "task", "", "number of this task, from 0, and of all tasks that sketch the same shards, such as 3/8: each sketches those that are dealt to it, by their sizes; "+
		"merge adds the sketches up; needs --passes 1 and --vocab; all shards if not given")
}

// check reads the flag.
func (d *dealing) check(passes int, vocabulary string) error {
	if d.text == "" {
		return nil
	}
	var err error
	if d.task, err = shard.ParseTask(d.text); err != nil {
		return &usageError{fmt.Errorf("--task: %w", err)}
	}
	switch {
	case passes != 1:
		return &usageError{errors.New("--task makes sketches to be merged, which takes a single pass: give --passes 1")}
	case vocabulary == "":
		return &usageError{errors.New("--task needs --vocab, because all tasks must number the same items: make one with anchorage vocab")}
	}
	return nil
}

// deal returns the shards of the task, all without one.
func (d *dealing) deal(all []shard.Shard) ([]shard.Shard, error) {
	if d.task.Of == 0 {
		return all, nil
	}
	mine, err := d.task.Shards(all)
	if err != nil {
		return nil, &usageError{fmt.Errorf("--task %s: %w", d.task, err)}
	}
	d.record = &model.TasksRecord{Numbers: []int{d.task.Number}, Of: d.task.Of, Shards: len(all), SHA256: shard.Fingerprint(all)}
	return mine, nil
}

// done reports whether output is the complete sketch of this task by the same options, as an earlier attempt of a scheduler leaves it. Then there is
// nothing to do.
func (f *sourceFlags) done(ctx context.Context, p *program, output string, args []string, options *fit.Options) (bool, error) {
	if f.dealing.task.Of == 0 || p.replace {
		return false, nil
	}
	manifest, err := model.ReadManifest(ctx, output, model.KindSketch)
	if err != nil {
		return false, nil // beginning the output says what is wrong, if anything is
	}
	if _, err := f.find(ctx, p, args); err != nil {
		return false, err
	}
	r := manifest.Sketch
	same := reflect.DeepEqual(manifest.Tasks, f.dealing.record) && r.Topics == options.Topics && r.Seed == options.Seed &&
		(options.Sketch.Columns == 0 || options.Sketch.Columns == r.Columns)
	if !same {
		return false, nil
	}
	return true, p.print(map[string]any{"output": output, "manifest": manifest, "done_before": true}, func(w io.Writer) {
		printf(w, "Task %s was done before: its sketch is in %s\n", f.dealing.task, output)
	})
}
