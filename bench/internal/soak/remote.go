// This file lets runs reach an object store through the proxy.

package soak

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// remote are the tasks over an object store: their outputs are there, and are fetched to be checked. SHARDS is the
// place of the shards.
var remote = []task{
	{name: "fit", line: "fit SHARDS -k 5 --refine none -o out"},
	{name: "update-first", line: "update out SHARDS -k 5 --refine none", store: true},
	{name: "update-more",
		prepare: []string{"update out SHARDS/part-00000.parquet SHARDS/part-00001.parquet -k 5 --refine none"},
		line:    "update out SHARDS", store: true},
}

// shares are the shares of requests that fail.
var shares = []float64{0.02, 0.1, 0.3, 0.9}

// reach runs a task over an object store that fails, in every way in turn. A run must succeed with the bytes of an
// undisturbed one, or end with a clear error, after which the output is the one before; then the next run, over a sound
// store, succeeds.
func (w *Workshop) reach(ctx context.Context, t task, o *Outcome, enough int) error {
	want, err := w.fetched(ctx, t)
	if err != nil {
		return err
	}
	for i := range enough {
		if w.over() {
			break
		}
		n, err := w.reachOnce(ctx, t, o, want, troubles[i%len(troubles)], shares[i/len(troubles)%len(shares)])
		if err != nil {
			return err
		}
		o.Requests += n
	}
	return nil
}

// newBucket starts an object store in this process that has the shards.
func (w *Workshop) newBucket() (*httptest.Server, error) {
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(w.folder, "shards", "*"))
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if _, err := backend.PutObject("data", "shards/"+filepath.Base(path), map[string]string{},
			strings.NewReader(string(content)), int64(len(content)), nil); err != nil {
			return nil, err
		}
	}
	return httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()), err
}

// at returns a line over a store that is reached at an address.
func at(line, address string) string {
	place := func(key string) string {
		return "s3://data/" + key + "?region=us-east-1&use_path_style=true&endpoint=" + address
	}
	words := strings.Fields(line)
	for i, word := range words {
		switch {
		case word == "out":
			words[i] = place("out")
		case strings.HasPrefix(word, "SHARDS"):
			words[i] = place("shards" + strings.TrimPrefix(word, "SHARDS"))
		}
	}
	return strings.Join(words, " ")
}

// credentials are those of the store, which takes any.
var credentials = []string{"AWS_ACCESS_KEY_ID=soak", "AWS_SECRET_ACCESS_KEY=soak"}

// through runs a line over a store, at an address.
func (w *Workshop) through(ctx context.Context, folder, line, address string) (*ended, error) {
	return w.run(ctx, folder, order{env: credentials}, at(line, address))
}

// absent are the messages of a model that is not there.
var absent = []string{"does not exist", "has no model yet", "is not a store", "is not a complete"}

// foundIn returns the model at the output in a store, as digests of an export; nil without one. It also verifies it.
func (w *Workshop) foundIn(ctx context.Context, folder string, b *httptest.Server) (map[string]string, error) {
	exported := filepath.Join(folder, "exported")
	if err := os.RemoveAll(exported); err != nil {
		return nil, err
	}
	e, err := w.through(ctx, folder, "export out --to npy -o exported", b.URL)
	switch {
	case err != nil:
		return nil, err
	case oneOf(e.code, 10, 11) && slices.ContainsFunc(absent,
		func(what string) bool { return strings.Contains(e.stderr, what) }):
		return nil, nil
	case e.code != 0:
		return nil, fmt.Errorf("%v", e)
	}
	if e, err = w.through(ctx, folder, "verify out", b.URL); err != nil {
		return nil, err
	} else if e.code != 0 {
		return nil, fmt.Errorf("%v", e)
	}
	return digests(exported)
}

// after returns a new store and a new folder in which lines have been run.
func (w *Workshop) after(ctx context.Context, lines []string) (*httptest.Server, string, error) {
	b, err := w.newBucket()
	if err != nil {
		return nil, "", err
	}
	folder, err := w.newFolder()
	for _, line := range lines {
		if err == nil {
			_, err = w.must(ctx, folder, order{env: credentials}, at(line, b.URL))
		}
	}
	if err != nil {
		b.Close()
	}
	return b, folder, err
}

// fetched returns the model that a task makes over a sound store.
func (w *Workshop) fetched(ctx context.Context, t task) (map[string]string, error) {
	b, folder, err := w.after(ctx, slices.Concat(t.prepare, []string{t.line}))
	if err != nil {
		return nil, err
	}
	defer b.Close()
	found, err := w.foundIn(ctx, folder, b)
	if err == nil && len(found) < 3 {
		err = fmt.Errorf("%s: the model has only %d files", t.name, len(found))
	}
	return found, err
}

// reachOnce runs a task over a store in trouble. It returns how many requests failed.
func (w *Workshop) reachOnce(ctx context.Context, t task, o *Outcome, want map[string]string, trouble trouble,
	share float64) (failed int, err error) {
	b, folder, err := w.after(ctx, t.prepare)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	before, err := w.foundIn(ctx, folder, b)
	if err != nil {
		return 0, err
	}
	p := newProxy(b, trouble, share, w.seed+uint64(w.episodes))
	server := httptest.NewUnstartedServer(p)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	e, err := w.through(ctx, folder, t.line, server.URL)
	server.CloseClientConnections()
	server.Close()
	if err != nil {
		return 0, err
	}
	o.Disturbed++
	wrong := w.afterReach(ctx, t, o, folder, b, e, before, want)
	if wrong != "" {
		o.problem("%.0f %% %s: %v: %s", 100*share, trouble.name, e, wrong)
	}
	return p.failed, os.RemoveAll(folder)
}

// afterReach looks at what a run has left in a store, and runs it again over the sound store.
func (w *Workshop) afterReach(ctx context.Context, t task, o *Outcome, folder string, b *httptest.Server, e *ended,
	before, want map[string]string) (wrong string) {
	found, err := w.foundIn(ctx, folder, b)
	switch {
	case err != nil:
		return err.Error()
	case strings.Contains(e.stderr, "goroutine "):
		return "it ends in a trace"
	case e.code == 0 && !maps.Equal(found, want):
		return "code 0, and the output is not the new one"
	case e.code == 0:
		o.Complete++
	case !oneOf(e.code, 1, 11, 12, 14, 15):
		return "an exit code that it should not have"
	case strings.TrimSpace(e.stderr) == "":
		return "no message"
	default:
		o.Refused++
		if !maps.Equal(found, before) && !maps.Equal(found, want) {
			return "an output that is neither the one before nor the new one"
		}
	}
	next, err := w.through(ctx, folder, t.line, b.URL)
	if err != nil {
		return err.Error()
	}
	if !oneOf(next.code, 0, 14, 99) || next.code == 14 && !maps.Equal(found, want) {
		return fmt.Sprintf("the next run: %v", next)
	}
	if found, err = w.foundIn(ctx, folder, b); err != nil || !maps.Equal(found, want) {
		return fmt.Sprintf("after the next run the output is not the new one: %v", err)
	}
	return ""
}
