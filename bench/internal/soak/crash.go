// This file cuts the power, on a disk in memory that forgets what was not synced.

package soak

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"anchorage/internal/durable"
	"anchorage/internal/durable/crash"
)

// crash records a run of a task and checks about the given number of states that a crash of the machine leaves, between
// any two operations on files.
func (w *Workshop) crash(ctx context.Context, t task, o *Outcome, enough int) error {
	folder, r, err := w.begin(ctx, t)
	if err != nil {
		return err
	}
	disk, err := crash.New(folder)
	if err != nil {
		return err
	}
	if _, err := w.must(ctx, folder, order{record: true}, t.line); err != nil {
		return err
	}
	operations, err := readRecord(w.note("record"))
	if err != nil {
		return err
	}
	step := max(float64(len(operations))/float64(max(enough, 1)), 1)
	next := w.uniform() * step
	for i, operation := range operations {
		if err := disk.Apply(operation); err != nil {
			return err
		}
		last := i == len(operations)-1
		if (float64(i) < next || w.over()) && !last {
			continue
		}
		next += step
		losses := crash.Losses[:3]
		if !last {
			losses = losses[w.below(3):][:1]
		}
		for _, loss := range losses {
			if err := w.afterCrash(ctx, t, r, o, disk, loss, fmt.Sprintf("%d of %d", i+1, len(operations)), last); err != nil {
				return err
			}
		}
	}
	o.Note = fmt.Sprintf("of %d operations", len(operations))
	return os.RemoveAll(folder)
}

// afterCrash looks at what a crash leaves, and runs the task again.
func (w *Workshop) afterCrash(ctx context.Context, t task, r *reference, o *Outcome, disk *crash.Disk, loss crash.Loss,
	where string, last bool) error {
	folder, err := w.newFolder()
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(folder), disk.Write(folder, loss)); err != nil {
		return err
	}
	o.Disturbed++
	state, wrong := t.look(ctx, r, folder)
	switch {
	case wrong != "":
	case last && state != isNew:
		wrong = "the run was over, and its output is lost"
	case state == isNew:
		o.Complete++
	}
	return w.settle(ctx, t, r, o, folder, state, wrong, fmt.Sprintf("a crash after operation %s that loses %s", where,
		loss))
}

// readRecord reads the operations that a process has recorded.
func readRecord(path string) (operations []durable.Operation, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for decoder := gob.NewDecoder(file); ; {
		var operation durable.Operation
		if err := decoder.Decode(&operation); errors.Is(err, io.EOF) {
			return operations, nil
		} else if err != nil {
			return nil, err
		}
		operations = append(operations, operation)
	}
}
