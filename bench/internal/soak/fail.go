// This file makes operations of runs on files fail, one after the other, and cuts the power, on a disk in memory that
// forgets what was not synced.

package soak

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"anchorage/internal/durable"
	"anchorage/internal/durable/crash"
)

// faultKind is a kind of fault of internal/durable/environment.go.
type faultKind struct {
	name string
	hits func(operation string) bool
	// code is the exit code of a run that fails by it.
	code int
}

func named(names ...string) func(string) bool {
	return func(operation string) bool { return slices.Contains(names, operation) }
}

// faultKinds are all kinds but that of kills.
var faultKinds = []faultKind{
	{"eio", func(string) bool { return true }, 1},
	{"enospc", named("create", "write", "write at", "sync", "close", "mkdir", "link", "symlink", "truncate"), 12},
	{"short", named("write"), 12},
	{"emfile", named("create", "open directory", "sync directory"), 12},
}

// failing are the tasks whose operations fail. They write checkpoints as often as usual: seldom.
var failing = []task{
	{name: "fit", line: "fit ../shards -k 5 -o out --resume=auto", resumes: true},
	{name: "fit-spill", line: "fit ../shards -k 5 --refine none --set corrections=spill --spill-dir work -o out"},
	{name: "fit-replace", prepare: []string{"fit ../shards -k 3 -o out"}, line: "fit ../shards -k 5 -o out --replace"},
	{name: "fit-checkpoints", line: "fit ../shards -k 3 --refine none -o out" + often, resumes: true},
	{name: "bayes",
		line: "bayes fit ../shards --model lda -k 4 --batch --set iterations=2 -o out --resume=auto " +
			"--checkpoint-interval 0",
		resumes: true},
	{name: "update-first", line: "update out ../shards -k 5", store: true},
	{name: "update-more", prepare: []string{"update out" + twoShards + " -k 5"}, line: "update out ../shards",
		store: true},
	{name: "update-less", prepare: []string{"update out" + twoShards + " -k 5", "update out ../shards"},
		line: "update out --remove part-00000.parquet --retain 1", store: true},
}

// fail makes about enough runs of a task in which one operation fails, and some in which every second, third, fifth …
// does.
func (w *Workshop) fail(ctx context.Context, t task, o *Outcome, enough int) error {
	kind := faultKinds[slices.IndexFunc(faultKinds, func(k faultKind) bool { return k.name == o.How })]
	r, err := w.reference(ctx, t)
	if err != nil {
		return err
	}
	operations := 0
	for _, operation := range r.operations {
		if kind.hits(operation) {
			operations++
		}
	}
	step := max(float64(operations)/float64(max(enough, 1)), 1)
	for at := w.uniform() * step; int(at) < operations && !w.over(); at += step {
		if err := w.failOnce(ctx, t, o, kind, order{fault: fmt.Sprintf("%s@%d", kind.name, 1+int(at))}); err != nil {
			return err
		}
	}
	for _, every := range []int{2, 3, 5, 11, 30} {
		if every <= enough && every <= operations && !w.over() {
			if err := w.failOnce(ctx, t, o, kind, order{fault: fmt.Sprintf("%s/%d", kind.name, every)}); err != nil {
				return err
			}
		}
	}
	o.Note = fmt.Sprintf("of %d operations that can fail so", operations)
	return nil
}

// failOnce runs a task under a fault, looks at what is there, and runs it again without.
func (w *Workshop) failOnce(ctx context.Context, t task, o *Outcome, kind faultKind, how order) error {
	folder, r, err := w.begin(ctx, t)
	if err != nil {
		return err
	}
	e, err := w.run(ctx, folder, how, t.line)
	if err != nil {
		return err
	}
	if how.inject != "" {
		log, err := os.ReadFile(w.note("calls"))
		// There may have been fewer calls, or the call was one by which the runtime of Go wakes itself.
		if err != nil || !strings.Contains(string(log), "(INJECTED)") || strings.Contains(e.stderr, "netpollBreak") {
			return errors.Join(err, os.RemoveAll(folder))
		}
	}
	o.Disturbed++
	state, wrong := t.look(ctx, r, folder)
	switch {
	case wrong != "":
	case strings.Contains(e.stderr, "goroutine "):
		wrong = "it ends in a trace"
	case e.code == 0 || e.code == 15:
		if o.Complete++; state != isNew {
			wrong = "the output is " + state
		}
	case kind.code != 0 && e.code != kind.code:
		wrong = fmt.Sprintf("the code should be %d", kind.code)
	default:
		if o.Refused++; state == isNew {
			wrong = "the new output is there all the same"
		}
	}
	return w.settle(ctx, t, r, o, folder, state, wrong, e)
}

// calls are the system calls that strace makes fail, and the errors that they return.
var calls, callErrors = strings.Fields("openat read pread64 write pwrite64 fsync ftruncate newfstatat getdents64 " +
	"mkdirat unlinkat renameat renameat2 linkat flock fcntl statfs"), strings.Fields("EIO ENOSPC EACCES EMFILE")

// call runs a task in which one system call fails, again and again, each time another.
func (w *Workshop) call(ctx context.Context, t task, o *Outcome, enough int) error {
	for tries := 0; o.Disturbed < enough && tries < 20+5*enough && !w.over(); tries++ {
		name, most := calls[w.below(len(calls))], 4<<w.below(8)
		how := fmt.Sprintf("%s:error=%s:when=%d", name, callErrors[w.below(len(callErrors))], 1+w.below(most))
		if err := w.failOnce(ctx, t, o, faultKind{name: "strace"}, order{inject: how}); err != nil {
			return err
		}
	}
	return nil
}

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
