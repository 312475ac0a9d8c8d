package output

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/long"
	"anchorage/internal/objects"
)

var wholeModel = []string{"out/model/_SUCCESS", "out/model/a.txt", "out/model/b.txt"}

func TestStoredDir(t *testing.T) {
	_, root := bucket(t)
	left := temporaries(t)
	ctx := context.Background()
	path := root.At("out/model/").String()
	begin(t, ctx, path, nil).Abort()
	if got := keys(t, root); len(got) > 0 {
		t.Errorf("an aborted directory left %q", got)
	}
	if err := begin(t, ctx, path, nil).Commit(); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, root); !slices.Equal(got, wholeModel) {
		t.Errorf("the store holds %q", got)
	}
	if got := content(t, root.At("out/model/b.txt").String()); got != "b.txt" {
		t.Errorf("b.txt holds %q", got)
	}
	if _, err := Begin(ctx, path, "", false, nil); !errors.Is(err, durable.ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := Begin(ctx, root.String(), "", false, nil); err == nil || !strings.Contains(err.Error(), "whole bucket") {
		t.Errorf("a bucket: %v", err)
	}
	if got := left(); len(got) > 0 {
		t.Errorf("the temporary folder holds %q", got)
	}
}

// TestStoredNested stores a directory within another: it is complete only once all its files are there.
func TestStoredNested(t *testing.T) {
	_, root := bucket(t)
	out := begin(t, context.Background(), root.At("out/model").String(), nil)
	nested := filepath.Join(out.Path(), "levels", "20")
	if err := durable.MakeDir(filepath.Dir(nested)); err != nil {
		t.Fatal(err)
	}
	level, err := durable.Create(nested)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(level.WriteFile("z.txt", write("z.txt")), level.Commit()); err != nil {
		t.Fatal(err)
	}
	if names, _, err := regularFiles(out.Path()); err != nil || !slices.Equal(names, []string{"a.txt", "b.txt",
		"levels/20/z.txt", "levels/20/_SUCCESS"}) {
		t.Errorf("the files are put in the order %q, %v", names, err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	want := append([]string{"out/model/_SUCCESS", "out/model/a.txt", "out/model/b.txt"}, "out/model/levels/20/_SUCCESS",
		"out/model/levels/20/z.txt")
	if got := keys(t, root); !slices.Equal(got, want) {
		t.Errorf("the store holds %q", got)
	}
}

// TestStoredRace has two runs write the same directory.
func TestStoredRace(t *testing.T) {
	_, root := bucket(t)
	ctx := context.Background()
	path := root.At("out/model").String()
	slow := begin(t, ctx, path, nil)
	if err := begin(t, ctx, path, nil).Commit(); err != nil {
		t.Fatal(err)
	}
	if err := slow.Commit(); !errors.Is(err, durable.ErrExists) {
		t.Errorf("the slower run: %v", err)
	}
	if got := keys(t, root); !slices.Equal(got, wholeModel) {
		t.Errorf("the store holds %q", got)
	}
}

// TestStoredClaimed has another run hold the claim: both an output that is begun and one that is committed see it, and
// leave it alone.
func TestStoredClaimed(t *testing.T) {
	_, root := bucket(t)
	ctx := context.Background()
	path := root.At("out/model").String()
	late := begin(t, ctx, path, nil)
	if err := objects.Put(ctx, root.At("out/model/"+claimName), []byte("somebody"), nil); err != nil {
		t.Fatal(err)
	}
	if err := late.Commit(); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := Begin(ctx, path, "", false, nil); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("Create: %v", err)
	}
	if got := keys(t, root); !slices.Equal(got, []string{"out/model/" + claimName}) {
		t.Errorf("the store holds %q", got)
	}
}

// TestStoredDead kills a run at every request of its commit: once its lease is over, the next run takes its place. What
// somebody else has put there stays, and stays in the way.
func TestStoredDead(t *testing.T) {
	defer func(before time.Duration) { settleTime = before }(settleTime)
	settleTime = 0
	ctx, took := t.Context(), 0
	step := 2
	if long.Tier() {
		step = 1
	}
	for n := 0; ; n += step {
		s, root := bucket(t)
		path := root.At("out/model").String()
		d := begin(t, ctx, path, nil)
		s.set(func(at int, _ *http.Request) answer {
			if at >= n {
				return answer{status: http.StatusForbidden} // nothing arrives any more, not even what would undo it
			}
			return answer{}
		})
		if d.Commit() == nil {
			break
		}
		s.set(nil)
		mark := root.At("out/model/" + claimName).String()
		text, err := objects.ReadFile(ctx, mark)
		if err != nil {
			continue // nothing was claimed yet
		}
		if _, err := Begin(ctx, path, "", false, nil); !errors.Is(err, durable.ErrLocked) && !slices.Contains(keys(t, root),
			"out/model/_SUCCESS") {
			t.Fatalf("request %d: during the lease: %v", n, err)
		}
		var old claim
		if err := json.Unmarshal(text, &old); err != nil {
			t.Fatal(err)
		}
		if old.Expires = time.Now().Add(-2 * leaseSkew); !slices.Equal(old.Files, []string{"a.txt", "b.txt"}) {
			t.Fatalf("the claim lists %q", old.Files)
		}
		if text, err = json.Marshal(old); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(ctx, mark, true, nil, write(string(text))); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(keys(t, root), "out/model/_SUCCESS") {
			continue
		}
		mine := root.At("out/model/mine.txt").String()
		if err := WriteFile(ctx, mine, false, nil, write("mine")); err != nil {
			t.Fatal(err)
		}
		if _, err := Begin(ctx, path, "", false, nil); !errors.Is(err, durable.ErrExists) || !strings.Contains(err.Error(),
			"it holds mine.txt") {
			t.Fatalf("request %d: a person's file: %v", n, err)
		}
		if err := objects.Remove(ctx, root.At("out/model/mine.txt"), nil); err != nil {
			t.Fatal(err)
		}
		other := begin(t, ctx, path, nil)
		if err := begin(t, ctx, path, nil).Commit(); err != nil {
			t.Fatalf("request %d: the next run: %v", n, err)
		}
		if got := keys(t, root); !slices.Equal(got, wholeModel) {
			t.Fatalf("request %d: the store holds %q", n, got)
		}
		if err := other.Commit(); !errors.Is(err, durable.ErrExists) {
			t.Fatalf("request %d: a third run: %v", n, err)
		}
		took++
	}
	if took < 3 {
		t.Errorf("a claim was taken over %d times", took)
	}
}

// TestStoredClock sets the clock of this machine back, and forth, between two runs: a claim is never taken for that of a
// dead run before its lease and the difference that stores allow are over.
func TestStoredClock(t *testing.T) {
	for ahead, dead := range map[time.Duration]bool{20 * 365 * 24 * time.Hour: false, time.Hour: false, 0: false,
		-leaseSkew + time.Minute: false, -leaseSkew - time.Minute: true} {
		c := claim{Token: "theirs", Expires: time.Now().Add(ahead)}
		if c.dead() != dead {
			t.Errorf("a lease that ends in %v: dead %v", ahead, c.dead())
		}
		if dead {
			continue
		}
		_, root := bucket(t)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := objects.Put(t.Context(), root.At("out/model/"+claimName), text, nil); err != nil {
			t.Fatal(err)
		}
		_, err = Begin(t.Context(), root.At("out/model").String(), "", false, nil)
		if !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), "it is taken for dead") {
			t.Errorf("a lease that ends in %v: %v", ahead, err)
		}
	}
}

// TestStoredTaken lets another run take a claim over at the same time: the one whose claim was replaced gives way, and
// removes nothing but its own temporary objects.
func TestStoredTaken(t *testing.T) {
	defer func(before time.Duration) { settleTime = before }(settleTime)
	settleTime = 0
	ctx := t.Context()
	_, root := bucket(t)
	path, mark := root.At("out/model").String(), root.At("out/model/"+claimName)
	text, err := json.Marshal(claim{Token: "dead", Expires: time.Now().Add(-2 * leaseSkew), Files: []string{"a.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", claimName} {
		if err := objects.Put(ctx, root.At("out/model/"+name), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	d := begin(t, ctx, path, nil)
	theirs, err := json.Marshal(claim{Token: "theirs", Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan error, 1)
	settleTime = 200 * time.Millisecond
	go func() {
		for i := 0; i < 100; i++ {
			time.Sleep(5 * time.Millisecond)
			if now, err := objects.ReadFile(ctx, mark.String()); err == nil && !strings.Contains(string(now), "dead") {
				taken <- objects.Overwrite(ctx, mark, theirs, nil)
				return
			}
		}
		taken <- errors.New("the claim was never taken over")
	}()
	if err := d.Commit(); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("Commit: %v", err)
	}
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if got := keys(t, root); !slices.Equal(got, []string{"out/model/" + claimName, "out/model/a.txt"}) {
		t.Errorf("the store holds %q", got)
	}
}

// TestStoredFaults makes every request of a commit fail in turn. Whatever the failure, the directory is complete and
// Commit succeeds, or nothing is left and Commit returns the error.
func TestStoredFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer answer
		passes bool // the commit must succeed
	}{
		{"refused", answer{status: http.StatusForbidden}, false},
		{"carried out and refused", answer{http.StatusForbidden, true}, false},
		{"delayed", answer{status: again}, true},
		{"carried out, but the answer lost", answer{again, true}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // requests that are repeated wait
			for n, more := 0, true; more; n++ {
				more = failRequest(t, n, test.answer, test.passes)
			}
		})
	}
}

// failRequest commits a directory whose n-th request fails, and reports whether there was such a request.
func failRequest(t *testing.T, n int, failure answer, passes bool) bool {
	t.Helper()
	s, root := bucket(t)
	d := begin(t, context.Background(), root.At("out/model").String(), nil)
	what := ""
	count := s.set(func(at int, r *http.Request) answer {
		if at != n {
			return answer{}
		}
		what = r.Method + " " + r.URL.Path
		return failure
	})
	err := d.Commit()
	there := count() > n
	s.set(nil)
	got := keys(t, root)
	if err == nil { // what could not be removed of the claim is in nobody's way, once _SUCCESS is there
		got = slices.DeleteFunc(got, func(key string) bool { return strings.HasSuffix(key, claimName) })
	}
	switch {
	case err == nil && !slices.Equal(got, wholeModel):
		t.Fatalf("request %d, %s: success, but the store holds %q", n, what, got)
	case err != nil && len(got) > 0:
		t.Fatalf("request %d, %s: %v, but the store holds %q", n, what, err, got)
	case err != nil && (passes || !there):
		t.Fatalf("request %d, %s: %v", n, what, err)
	}
	if !there && n < 10 {
		t.Fatalf("only %d requests: two uploads, the claim, a listing, two moves and two more are expected", n)
	}
	return there
}

// TestStoredUndoFails wants to be told what could not be removed after an error.
func TestStoredUndoFails(t *testing.T) {
	s, root := bucket(t)
	d := begin(t, context.Background(), root.At("out/model").String(), nil)
	s.set(func(_ int, r *http.Request) answer {
		if r.Method == http.MethodDelete || strings.HasSuffix(r.URL.Path, "/b.txt") {
			return answer{status: http.StatusForbidden}
		}
		return answer{}
	})
	err := d.Commit()
	if err == nil || !strings.Contains(err.Error(), "could not be removed: s3://data/out/.model.partial-") {
		t.Errorf("error %v", err)
	}
}

// TestStoredUnconditional commits to a store that ignores conditions: it is refused, and nothing is left.
func TestStoredUnconditional(t *testing.T) {
	s, root := bucket(t)
	inner := s.handler
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-None-Match")
		inner.ServeHTTP(w, r)
	})
	err := begin(t, context.Background(), root.At("out/model").String(), nil).Commit()
	if got := keys(t, root); !errors.Is(err, objects.ErrUnconditional) || len(got) > 0 {
		t.Errorf("error %v, and the store holds %q", err, got)
	}
}

// TestStoredCancel cancels a context at different requests of a commit.
func TestStoredCancel(t *testing.T) {
	for _, test := range []struct {
		name, method, path string
		completes          bool
	}{
		{"first upload", http.MethodPut, "/a.txt", false},
		{"second upload", http.MethodPut, "/b.txt", false},
		{"claim", http.MethodPut, "/out/model/" + claimName, true},
		{"move", http.MethodPut, "/out/model/a.txt", true},
		{"last removal", http.MethodDelete, "/out/model/" + claimName, true},
		{"success", http.MethodPut, "/out/model/" + durable.Success, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, root := bucket(t)
			left := temporaries(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			d := begin(t, ctx, root.At("out/model").String(), nil)
			s.set(func(_ int, r *http.Request) answer {
				if r.Method == test.method && strings.HasSuffix(r.URL.Path, test.path) && ctx.Err() == nil {
					cancel()
					return answer{status: again} // what continues tries again
				}
				return answer{}
			})
			err := d.Commit()
			if ctx.Err() == nil {
				t.Fatal("there was no such request")
			}
			got := keys(t, root)
			if test.completes && (err != nil || !slices.Equal(got, wholeModel)) {
				t.Errorf("a commit that has begun: %v, and the store holds %q", err, got)
			}
			if !test.completes && (!errors.Is(err, context.Canceled) || len(got) > 0) {
				t.Errorf("before the commit: %v, and the store holds %q", err, got)
			}
			if got := left(); len(got) > 0 {
				t.Errorf("the temporary folder holds %q", got)
			}
		})
	}
}

// TestStoredWarn wants the caller to be told of retries at every step, by the URL of an object.
func TestStoredWarn(t *testing.T) {
	s, root := bucket(t)
	silent(t)
	var told []string
	warn := func(path string, attempt int, pause time.Duration, err error) {
		if attempt != 1 || pause <= 0 || err == nil {
			t.Errorf("attempt %d, pause %v, error %v", attempt, pause, err)
		}
		place, err := objects.Parse(path)
		if err != nil {
			t.Error(err)
		}
		told = append(told, place.Name())
	}
	seen := make(map[string]bool)
	s.set(func(_ int, r *http.Request) answer {
		if seen[r.URL.Path] {
			return answer{}
		}
		seen[r.URL.Path] = true
		return answer{status: again} // the first request about anything
	})
	d := begin(t, context.Background(), root.At("out/model").String(), warn)
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model", "a.txt", "b.txt", claimName, durable.Success} {
		if !slices.Contains(told, name) {
			t.Errorf("Warn was told of %q, but not of %s", told, name)
		}
	}
}
