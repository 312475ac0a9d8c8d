package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/internal/durable"
	"anchorage/internal/long"
)

var errInjected = errors.New("injected")

// night is an update that adds, replaces and removes shards and drops a generation.
func night(t *testing.T, s setting, path string, days []string) error {
	s.retain = 2
	s.plan.Remove = []string{days[0]}
	if opened, err := Open(t.Context(), path); err == nil &&
		!slices.ContainsFunc(opened.State.Shards, func(s Shard) bool { return s.Name == days[0] }) {
		s.plan.Remove = nil // an interrupted run got as far as that
	}
	_, _, _, err := s.update(t, path, days[1:]...)
	return err
}

// prepared returns the shards of a store of two generations, before the night.
func prepared(t *testing.T) (s setting, days []string, before, after map[string]string) {
	t.Helper()
	days = inDays(t, 4)
	s = usual()
	s.must(t, "store", days[0])
	s.must(t, "store", days[:3]...)
	before = current(t, "store")
	writeDay(t, days[2], 0, 4, 5)
	return s, days, before, s.whole(t, days[1:]...)
}

// TestKilled ends an update before every operation on the file system: it takes a copy of the store as it is on disk
// then. The old or the new model must be there and whole, and the next update must succeed and leave nothing behind.
func TestKilled(t *testing.T) {
	s, days, before, after := prepared(t)
	copies := 0
	restore := durable.Inject(func(string) error {
		copies++
		return copyTree("store", fmt.Sprintf("killed-%03d", copies))
	})
	err := night(t, s, "store", days)
	restore()
	if err != nil {
		t.Fatal(err)
	}
	if copies < 40 {
		t.Fatalf("only %d operations", copies)
	}
	want := tree(t, "store")
	switched := false
	every := 5
	if long.Tier() {
		every = 1
	}
	for i := every; i <= copies; i += every {
		path := fmt.Sprintf("killed-%03d", i)
		found := current(t, path)
		if found["manifest.json"] == after["manifest.json"] {
			switched = true
			same(t, path+", new", found, after)
		} else {
			same(t, path+", old", found, before)
			if switched {
				t.Errorf("%s: the old model after the new one", path)
			}
		}
		if i%(6*every) != 0 && !(switched && i%(2*every) == 0) { // to save time
			continue
		}
		if err := night(t, s, path, days); err != nil {
			t.Errorf("%s: the next update: %v", path, err)
			continue
		}
		same(t, path+", after the next update", current(t, path), after)
		if found, err := Verify(t.Context(), path); err != nil || len(found.Problems) > 0 {
			t.Errorf("%s: %+v, %v", path, found, err)
		}
		if got := tree(t, path); got["shards"] != want["shards"] || got["temporary"] != 0 ||
			got["generations"] > want["generations"]+1 {
			t.Errorf("%s: it has %v, and would have %v", path, got, want)
		}
	}
	if !switched {
		t.Error("the new model was never there before the end")
	}
}

// tree counts the names in the folders of a store, and the temporary ones.
func tree(t *testing.T, path string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for _, folder := range append([]string{"."}, folders...) {
		entries, err := os.ReadDir(filepath.Join(path, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			counts[folder]++
			if isTemporary(entry.Name()) {
				counts["temporary"]++
			}
		}
	}
	return counts
}

// TestFailing makes operations on the file system fail, one per update: the update fails and leaves the old model, or
// succeeds. The next one succeeds.
func TestFailing(t *testing.T) {
	s, days, before, after := prepared(t)
	operations, failed, step := 0, 0, 12
	if long.Tier() {
		step = 4
	}
	for k := 0; ; k += step {
		path := fmt.Sprintf("failing-%03d", k)
		if err := copyTree("store", path); err != nil {
			t.Fatal(err)
		}
		operations = 0
		restore := durable.Inject(func(string) error {
			operations++
			if operations == k+1 {
				return errInjected
			}
			return nil
		})
		err := night(t, s, path, days)
		restore()
		if operations <= k {
			break
		}
		found := current(t, path)
		switch {
		case found["manifest.json"] == after["manifest.json"]: // what failed came after the switch, or only tidied up
			same(t, path, found, after)
		case err == nil || !errors.Is(err, errInjected):
			t.Errorf("%s: the old model, and the error %v", path, err)
		default:
			failed++
			same(t, path, found, before)
			if k%(4*step) != 0 {
				continue
			}
		}
		if err := night(t, s, path, days); err != nil {
			t.Errorf("%s: the next update: %v", path, err)
		}
		same(t, path+", next", current(t, path), after)
	}
	if failed < 24/step {
		t.Errorf("only %d updates failed", failed)
	}
}
