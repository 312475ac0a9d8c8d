package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/sealed"
	"anchorage/model/fit"
)

// isFault reports whether an error is an *Error of that fault.
func isFault(err error, fault Fault) bool {
	var known *Error
	return errors.As(err, &known) && known.Fault == fault
}

// TestNothing wants nothing to be done without new content, whatever else is new about shards.
func TestNothing(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days...)
	before, err := os.ReadDir("store/states")
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(what string, known, twins int, names ...string) {
		t.Helper()
		plan, _, generated, err := s.update(t, "store", names...)
		if err != nil || generated != nil || !plan.Nothing() || plan.Known != known || len(plan.Twins) != twins {
			t.Errorf("%s: %+v, %v", what, plan, err)
		}
	}
	nothing("the same", 3, 0, days...)
	nothing("none", 0, 0)
	if err := os.Chtimes(days[0], time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	nothing("another time of modification", 3, 0, days...)
	nothing("another way to write the name", 1, 0, "./shards//2026-11-02.txt")
	if err := os.Rename(days[2], "shards/renamed.txt"); err != nil {
		t.Fatal(err)
	}
	nothing("another name", 2, 1, "shards")
	after, err := os.ReadDir("store/states")
	if err != nil || len(after) != len(before) {
		t.Errorf("%d states, %d before: %v", len(after), len(before), err)
	}
}

// TestRehash wants a change that keeps size and time to be found if all shards are hashed, and only then.
func TestRehash(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	s.must(t, "store", days...)
	info, err := os.Stat(days[0])
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(days[0])
	if err != nil {
		t.Fatal(err)
	}
	content[0]++
	if err := errors.Join(os.WriteFile(days[0], content, 0o666), os.Chtimes(days[0], time.Time{},
		info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if plan, _, _, err := s.update(t, "store", days...); err != nil || !plan.Nothing() {
		t.Errorf("%+v, %v", plan, err)
	}
	s.plan.Rehash = true
	if plan, _, _ := s.must(t, "store", days...); len(plan.Fresh) != 1 {
		t.Errorf("%+v", plan)
	}
}

// TestTwoWriters wants one of two writers to get the store, and readers to need no lock.
func TestTwoWriters(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	s.must(t, "store", days[0])
	w, err := Begin(t.Context(), "store", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.update(t, "store", days...); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if _, err := Open(t.Context(), "store"); err != nil {
		t.Errorf("a reader: %v", err)
	}
	w.Close()
	s.must(t, "store", days...)
}

// TestTwoMakers wants one of two runs that both found no store to make it.
func TestTwoMakers(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	first, err := Begin(t.Context(), "store", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	s.must(t, "store", days[0])
	if _, _, _, err := s.with(t, first, days[1]); !errors.Is(err, durable.ErrLocked) || !isFault(err, Outdated) {
		t.Errorf("the second: %v", err)
	}
	same(t, "the first", current(t, "store"), s.whole(t, days[0]))
}

// TestElsewhere wants a folder that is not a store to stay as it is.
func TestElsewhere(t *testing.T) {
	days := inDays(t, 1)
	for _, path := range []string{"shards", days[0]} {
		if _, _, _, err := usual().update(t, path, days...); !isFault(err, NotAStore) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(t.Context(), "nowhere"); !isFault(err, NotAStore) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := os.Stat("shards/store.json"); err == nil {
		t.Error("the folder of shards became a store")
	}
}

// TestRetain wants the newest generations to stay, with what they need.
func TestRetain(t *testing.T) {
	days := inDays(t, 5)
	s := usual()
	s.retain = 2
	for i := range days {
		s.plan.Remove = nil
		if i == 3 {
			s.plan.Remove = []string{days[0]}
		}
		s.must(t, "store", days[max(i, 1)-1:i+1]...)
	}
	opened, err := Open(t.Context(), "store")
	if err != nil || len(opened.State.Generations) != 2 || opened.State.Generations[0].Number != 4 ||
		opened.State.Generation != 5 {
		t.Errorf("%+v, %v", opened.State, err)
	}
	for folder, want := range map[string]int{"generations": 2, "states": 2, "shards": 4} {
		if entries, err := os.ReadDir("store/" + folder); err != nil || len(entries) != want {
			t.Errorf("%s has %d entries, want %d: %v", folder, len(entries), want, err)
		}
	}
	if found, err := Verify(t.Context(), "store"); err != nil || len(found.Problems) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestRollback wants an earlier generation to count again with its shards, and the next update to add what is missing.
func TestRollback(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	var models []map[string]string
	for i := range days {
		s.must(t, "store", days[:i+1]...)
		models = append(models, current(t, "store"))
	}
	back := func(number int) (*Generation, error) {
		t.Helper()
		w, err := Begin(t.Context(), "store", Options{PassDamaged: true})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.Rollback(t.Context(), number)
	}
	if g, err := back(0); err != nil || g.Number != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
	same(t, "back", current(t, "store"), models[1])
	if g, err := back(1); err != nil || g.Shards != 1 {
		t.Fatalf("%+v, %v", g, err)
	}
	if _, err := back(0); !isFault(err, NoGeneration) {
		t.Errorf("before the first: %v", err)
	}
	if _, err := back(9); !isFault(err, NoGeneration) {
		t.Errorf("no such generation: %v", err)
	}
	if link, err := os.Readlink("store/current"); err != nil || link != "generations/000001" {
		t.Errorf("current is %s, %v", link, err)
	}
	// What was taken out stays out, until it is changed or asked for.
	plan, _, none, err := s.update(t, "store", days...)
	if err != nil || none != nil || !slices.Equal(plan.RolledBack, days[1:]) || plan.Known != 1 {
		t.Fatalf("%+v, %v, %v", plan, none, err)
	}
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(days[1], now, now); err != nil {
		t.Fatal(err)
	}
	if plan, _, _, err = s.update(t, "store", days...); err != nil || !slices.Equal(plan.RolledBack, days[1:]) {
		t.Errorf("a touched shard: %+v, %v", plan, err)
	}
	s.plan.Again = true
	_, added, generated := s.must(t, "store", days...)
	if added.Adopted != 2 || generated.Number != 4 {
		t.Errorf("%+v, generation %d", added, generated.Number)
	}
	same(t, "forward again", current(t, "store"), models[2])
	s.plan.Again = false
	if plan, _, _, err = s.update(t, "store", days...); err != nil || plan.RolledBack != nil || plan.Known != 3 {
		t.Errorf("after adding again: %+v, %v", plan, err)
	}
	// A damaged state can be left behind, for the one before that is left.
	if err := os.Truncate("store/states/000006.json", 100); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "store"); !isFault(err, Damaged) {
		t.Errorf("a damaged state: %v", err)
	}
	if g, err := back(0); err != nil || g.Number != 3 {
		t.Errorf("behind a damaged state: %+v, %v", g, err)
	}
	same(t, "behind a damaged state", current(t, "store"), models[2])
}

// TestInterrupted ends an update while it learns: the store is as it was, and the next update reads no shard again.
func TestInterrupted(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days[0])
	before := current(t, "store")
	w, err := Begin(t.Context(), "store", Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := w.Plan(t.Context(), discover(t, days), s.plan)
	if err != nil {
		t.Fatal(err)
	}
	added, err := w.Add(t.Context(), plan, AddOptions{Reading: "baskets"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	next, err := w.Open(ctx, plan, added, GenerateOptions{Fit: s.model(&fit.Run{}), Corpus: s.corpusOptions(), Retain: 7})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	err = next.Learn(ctx)
	next.Close()
	w.Close()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	same(t, "interrupted", current(t, "store"), before)
	if entries, err := os.ReadDir("store/generations"); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if _, added, _ := s.must(t, "store", days...); added.Read != 0 || added.Adopted != 2 {
		t.Errorf("%+v", added)
	}
	same(t, "the next", current(t, "store"), s.whole(t, days...))
	// Another reading of the same content is not taken over.
	if w, err = Begin(t.Context(), "store2", Options{}); err != nil {
		t.Fatal(err)
	}
	if plan, err = w.Plan(t.Context(), discover(t, days), s.plan); err != nil {
		t.Fatal(err)
	}
	if _, err = w.Add(t.Context(), plan, AddOptions{Reading: "otherwise"}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, added, _ := s.must(t, "store2", days...); added.Read != 3 {
		t.Errorf("%+v", added)
	}
}

// TestReading reads the current generation while an update that keeps one makes the next: it stays until the reading
// ends, and the update after that removes it.
func TestReading(t *testing.T) {
	days := inDays(t, 4)
	s := usual()
	s.retain = 1
	s.must(t, "store", days[0])
	path, release, err := UseModel(t.Context(), "store")
	if err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, path)
	s.must(t, "store", days[:2]...)
	s.must(t, "store", days[:3]...)
	same(t, "while it is read", filesOf(t, path), before)
	if got := tree(t, "store"); got["generations"] != 2 || got["states"] != 1 {
		t.Errorf("the store has %v", got)
	}
	release()
	s.must(t, "store", days...)
	if got := tree(t, "store"); got["generations"] != 1 {
		t.Errorf("after the reading the store has %v", got)
	}
	if found, err := Verify(t.Context(), "store"); err != nil || len(found.Problems) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestOvertaken opens a store whose last state is removed between the listing and the reading: an update has written
// the next one. It is the same for UseModel, with a generation.
func TestOvertaken(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	s.must(t, "store", days...)
	state := "store/states/000001.json"
	if err := os.Rename(state, "elsewhere"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nothing", state); err != nil { // it is listed, and not there
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "store"); !isFault(err, Damaged) {
		t.Errorf("a state that does not come back: %v", err)
	}
	if _, _, err := UseModel(t.Context(), "store"); !isFault(err, Damaged) {
		t.Errorf("a model of it: %v", err)
	}
}

// TestChangedAfterRollback corrects a shard that was rolled back, with a window whose latest date was that of another.
func TestChangedAfterRollback(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.plan.Window = 2
	s.must(t, "store", days[:2]...)
	s.must(t, "store", days...)
	w, err := Begin(t.Context(), "store", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Rollback(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	w.Close()
	plan, _, none, err := s.update(t, "store", days...)
	if err != nil || none != nil || !slices.Equal(plan.RolledBack, days[2:]) || len(plan.Expired) > 0 || plan.Known != 2 {
		t.Fatalf("%+v, %v, %v", plan, none, err)
	}
	writeDay(t, days[2], 2, 3, 9)
	plan, _, generated, err := s.update(t, "store", days...)
	if err != nil || generated == nil || plan.RolledBack != nil || len(plan.Fresh) != 1 || len(plan.Expired) != 1 {
		t.Errorf("a corrected shard: %+v, %v, %v", plan, generated, err)
	}
}

// TestClockBack sets the clock back by years after a night: the state and the shards are from the future then. Windows
// count the dates of shards, and states their numbers.
func TestClockBack(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.plan.Window = 2
	future := time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range days[:2] {
		if err := os.Chtimes(name, future, future); err != nil {
			t.Fatal(err)
		}
	}
	s.must(t, "store", days[:2]...)
	const path = "store/states/000001.json"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err = sealed.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile(`"written": "[^"]*"`)
	if text = written.ReplaceAll(text, []byte(`"written": "2090-01-01T00:00:00Z"`)); !bytes.Contains(text, []byte("2090")) {
		t.Fatalf("%s", text)
	}
	if err := os.WriteFile(path, sealed.Seal(text), 0o666); err != nil {
		t.Fatal(err)
	}
	past := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range days {
		if err := os.Chtimes(name, past, past); err != nil {
			t.Fatal(err)
		}
	}
	plan, added, generated := s.must(t, "store", days...)
	if !slices.Equal(plan.Expired, days[:1]) || plan.Known != 1 || added.Read != 1 || generated.Number != 2 {
		t.Errorf("%+v, %+v, generation %d", plan, added, generated.Number)
	}
	same(t, "after the clock went back", current(t, "store"), s.whole(t, days[1:]...))
	if found, err := Verify(t.Context(), "store"); err != nil || len(found.Problems) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if plan, _, none, err := s.update(t, "store", days...); err != nil || none != nil || plan.Known != 2 {
		t.Errorf("the night after: %+v, %v", plan, err)
	}
}

// TestNoFolder wants a store that cannot be made to be refused before anything is read.
func TestNoFolder(t *testing.T) {
	days := inDays(t, 1)
	if err := os.Symlink("nothing", "link"); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"nowhere/store", "link", "link/store"} {
		if _, _, _, err := usual().update(t, path, days...); !isFault(err, Dangling) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
