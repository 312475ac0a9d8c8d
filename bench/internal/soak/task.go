// This file holds the runs that are disturbed, and looks at what they leave.

package soak

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"anchorage/model"
	"anchorage/store"
)

// task is a command line that is disturbed.
type task struct {
	name    string
	prepare []string // command lines that come before, undisturbed
	line    string
	store   bool // the output is a store, else a model, in either case named out
	resumes bool // an interrupt leaves a checkpoint
}

const (
	often     = " --resume=auto --checkpoint-interval 0"
	twoShards = " ../shards/part-00000.parquet ../shards/part-00001.parquet"
)

// tasks are all of them. Each ends within about a second.
var tasks = []task{
	{name: "fit", line: "fit ../shards -k 5 -o out" + often, resumes: true},
	{name: "fit-plain", line: "fit ../shards -k 5 --refine none --set corrections=spill --spill-dir work -o out"},
	{name: "fit-replace", prepare: []string{"fit ../shards -k 3 -o out"},
		line: "fit ../shards -k 5 -o out --replace" + often, resumes: true},
	{name: "sketch", line: "sketch ../shards -k 5 -o out" + often, resumes: true},
	{name: "bayes-batch", line: "bayes fit ../shards --model bnmf -k 4 --batch --epochs 3 -o out --spill-dir work" + often,
		resumes: true},
	{name: "bayes-epochs", line: "bayes fit ../shards --model cnmf -k 4 --epochs 2 --set batch-size=256 -o out" + often,
		resumes: true},
	{name: "update-first", line: "update out ../shards -k 5" + often, store: true, resumes: true},
	{name: "update-more", prepare: []string{"update out" + twoShards + " -k 5"}, line: "update out ../shards" + often,
		store: true, resumes: true},
	{name: "update-less", prepare: []string{"update out" + twoShards + " -k 5", "update out ../shards"},
		line: "update out --remove part-00000.parquet --retain 1" + often, store: true, resumes: true},
	{name: "convert", line: "convert ../shards -o out --set shard-documents=20"},
	{name: "transform", prepare: []string{"fit ../shards -k 3 -o ../model --replace"},
		line: "transform ../model ../shards -o out"},
	{name: "learn", prepare: []string{"fit ../shards -k 3 -o out --neighbours 5"}, line: "items out learn ../shards"},
}

// reference is what a task does undisturbed.
type reference struct {
	before     string            // folder with what was prepared; "" for nothing
	old, new   map[string]string // the model before and after, as digests of its files
	listing    []string          // names that are left, without what is in the output of a model
	operations []string
	time       time.Duration
}

// reference returns what a task does undisturbed, which the first call finds out.
func (w *Workshop) reference(ctx context.Context, t task) (*reference, error) {
	if r := w.references[t.line]; r != nil {
		return r, nil
	}
	folder, err := w.newFolder()
	if err != nil {
		return nil, err
	}
	r := &reference{}
	for _, line := range t.prepare {
		if _, err := w.must(ctx, folder, order{}, line); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "out")); err == nil {
		r.before = folder + "-before"
		if r.old, err = t.found(ctx, folder); err == nil {
			err = os.CopyFS(r.before, os.DirFS(filepath.Join(folder, "out")))
		}
		if err != nil {
			return nil, err
		}
	}
	e, err := w.must(ctx, folder, order{log: true}, t.line)
	if err != nil {
		return nil, err
	}
	r.operations, r.time = e.operations, e.time
	if r.new, err = t.found(ctx, folder); err != nil {
		return nil, err
	}
	if len(r.new) < 3 {
		return nil, fmt.Errorf("%s: the model has only %d files", t.name, len(r.new))
	}
	if r.listing, err = t.listing(folder); err != nil {
		return nil, err
	}
	w.references[t.line] = r
	return r, os.RemoveAll(folder)
}

// must runs a line that must succeed.
func (w *Workshop) must(ctx context.Context, folder string, o order, line string) (*ended, error) {
	e, err := w.run(ctx, folder, o, line)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("undisturbed: %v", e)
	}
	return e, err
}

// begin makes the folder in which a task can begin.
func (w *Workshop) begin(ctx context.Context, t task) (string, *reference, error) {
	r, err := w.reference(ctx, t)
	if err != nil {
		return "", nil, err
	}
	folder, err := w.newFolder()
	if err == nil && r.before != "" {
		err = os.CopyFS(filepath.Join(folder, "out"), os.DirFS(r.before))
	}
	return folder, r, err
}

// found returns the model that is at the output: digests of its files, by name; nil without a model. Files that differ
// between equal runs are left out. The error says that what is there is damaged.
func (t task) found(ctx context.Context, folder string) (map[string]string, error) {
	path := filepath.Join(folder, "out")
	if t.store {
		found, err := store.Verify(ctx, path)
		if known := new(store.Error); errors.As(err, &known) && known.Fault == store.NotAStore {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if len(found.Problems) > 0 {
			return nil, fmt.Errorf("the store is damaged: %+v", found.Problems)
		}
		s, err := store.Open(ctx, path)
		if err != nil || s.State.Generation == 0 {
			return nil, err
		}
		if path, err = s.Model(); err != nil {
			return nil, err
		}
	} else if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if _, err := os.Lstat(filepath.Join(path, "manifest.json")); errors.Is(err, fs.ErrNotExist) {
		return digests(path) // of shards, which other programs read too
	}
	var damaged error
	_, err := model.Verify(ctx, path, func(_ string, _ int64, err error) { damaged = errors.Join(damaged, err) })
	if err = errors.Join(err, damaged); err != nil {
		return nil, err
	}
	return digests(path)
}

// differing are the files of a model that differ between equal runs.
var differing = []string{"run.json"}

// leftName is how the names end of what a run that was killed leaves for the next.
var leftName = regexp.MustCompile(`anchorage-tmp$|\.next$`)

// digests returns the SHA-256 of the files of a folder.
func digests(path string) (map[string]string, error) {
	sums := make(map[string]string)
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || slices.Contains(differing, entry.Name()) {
			return err
		}
		content, err := os.ReadFile(name)
		rest, relative := filepath.Rel(path, name)
		sums[rest] = fmt.Sprintf("%x", sha256.Sum256(content))
		return errors.Join(err, relative)
	})
	_, complete := sums["recommend.json.next"]
	for name, sum := range sums {
		if plain, next := strings.CutSuffix(name, ".next"); next && complete {
			sums[plain] = sum
		}
	}
	maps.DeleteFunc(sums, func(name, _ string) bool { return leftName.MatchString(name) })
	return sums, err
}

// number matches the names of generations and states in a store, whose numbers do not matter.
var number = regexp.MustCompile(`^out/(generations|states)/\d{6}(\.json)?$`)

// listing returns the names in a folder, without those within models that are not left over.
func (t task) listing(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		plain := number.ReplaceAllString(name, "out/$1/N")
		if temporary := leftName.MatchString(name); temporary || t.store || !strings.HasPrefix(name, "out/") {
			names = append(names, plain)
		}
		if entry.IsDir() && plain != name {
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// beyond returns the names of a listing that an undisturbed run does not leave.
func (r *reference) beyond(names []string) []string { return without(names, r.listing) }

// without returns the names that others lack.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// What there is after a disturbed run.
const (
	isOld   = "old" // what was there before, or nothing
	isNew   = "new"
	isWrong = "wrong"
)

// look says what there is. The text describes what is wrong.
func (t task) look(ctx context.Context, r *reference, folder string) (state, wrong string) {
	found, err := t.found(ctx, folder)
	switch {
	case err != nil:
		return isWrong, err.Error()
	case maps.Equal(found, r.new):
		return isNew, ""
	case maps.Equal(found, r.old):
		return isOld, ""
	}
	var differ []string
	for name, sum := range found {
		if r.new[name] != sum {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	return isWrong, fmt.Sprintf("a model that is neither the one before nor the one after: %q differ", differ)
}

// settle runs the task again, unless something is wrong already, and notes what is wrong. Then the folder goes.
func (w *Workshop) settle(ctx context.Context, t task, r *reference, o *Outcome, folder, state, wrong string,
	how any) error {
	if wrong == "" {
		names, err := t.listing(folder)
		if err != nil {
			return err
		}
		o.Left = max(o.Left, len(r.beyond(names)))
		if wrong, err = w.finish(ctx, t, r, folder, state); err != nil {
			return err
		}
	}
	if wrong != "" {
		o.problem("%v: %s", how, wrong)
	}
	return os.RemoveAll(folder)
}

// finish runs the task once more, undisturbed, and compares what there is then with the reference.
func (w *Workshop) finish(ctx context.Context, t task, r *reference, folder, state string) (wrong string, err error) {
	e, err := w.run(ctx, folder, order{}, t.line)
	if err != nil {
		return "", err
	}
	accepted := []int{0}
	switch {
	case state == isNew && t.store:
		accepted = []int{99, 10, 0} // nothing is new, or the shard that is to leave has left
	case state == isNew && strings.Contains(t.line, "-o out") && !strings.Contains(t.line, "--replace"):
		accepted = []int{14} // the output exists
	}
	if !slices.Contains(accepted, e.code) {
		return fmt.Sprintf("the next run ends with %d, not %d: %v", e.code, accepted, e), nil
	}
	after, wrong := t.look(ctx, r, folder)
	if after != isNew {
		return fmt.Sprintf("after the next run the output is %s: %s", after, wrong), nil
	}
	names, err := t.listing(folder)
	// A run that works clears the folder of working files.
	if e.code == 14 && err == nil && !slices.Equal(names, r.listing) {
		_, err = w.must(ctx, folder, order{}, strings.Replace(t.line, "-o out", "-o other", 1))
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, "other")))
		if err == nil {
			names, err = t.listing(folder)
		}
	}
	// An update with nothing to do does not tidy up; gc does.
	if t.store && state == isNew && err == nil && !slices.Equal(names, r.listing) {
		if _, err = w.must(ctx, folder, order{}, "store gc out"); err == nil {
			names, err = t.listing(folder)
		}
	}
	if err != nil {
		return "", err
	}
	if !slices.Equal(names, r.listing) {
		return fmt.Sprintf("the next run leaves %q, and lacks %q", r.beyond(names), without(r.listing, names)), nil
	}
	return "", nil
}
