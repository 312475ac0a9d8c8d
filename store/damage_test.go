package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamage changes every file of a store, one at a time: Verify must find each, and an update that needs the file must fail. Without
// damage it succeeds.
func TestDamage(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days[:2]...)
	var files []string
	err := filepath.WalkDir("store", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != "run.json" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for how, damage := range map[string]func() error{
			"flipped": func() error {
				if len(content) == 0 {
					return os.Remove(file)
				}
				changed := append([]byte{}, content...)
				changed[len(changed)/2] ^= 4
				return os.WriteFile(file, changed, 0o666)
			},
			"cut":  func() error { return os.WriteFile(file, content[:len(content)/2], 0o666) },
			"gone": func() error { return os.Remove(file) },
		} {
			if len(content) == 0 && how == "cut" || how == "gone" && strings.HasPrefix(file, "store/states") {
				continue // without its last state, a store is as it was before, and an update makes the same one again
			}
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			found, err := Verify(t.Context(), "store")
			if err == nil && len(found.Problems) == 0 && !(how == "flipped" && file == "store/store.json") { // its version decides nothing
				t.Errorf("%s, %s: not found", file, how)
			}
			if needed(file) {
				if _, _, _, err := s.update(t, "store", days...); err == nil {
					t.Errorf("%s, %s: an update succeeded", file, how)
				}
			}
			if err := os.WriteFile(file, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.must(t, "store", days...)
}

// needed reports whether an update reads a file.
func needed(file string) bool {
	return strings.HasPrefix(file, "store/shards") || strings.HasPrefix(file, "store/vocabulary") || strings.HasPrefix(file, "store/states")
}

// TestSwapped exchanges the folders of two shards.
func TestSwapped(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days[:2]...)
	names, err := namesIn(t.Context(), "store/shards")
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	for _, move := range [][2]string{{names[0], "x"}, {names[1], names[0]}, {"x", names[1]}} {
		if err := os.Rename("store/shards/"+move[0], "store/shards/"+move[1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := s.update(t, "store", days...); !isFault(err, Damaged) {
		t.Errorf("error %v", err)
	}
	if found, err := Verify(t.Context(), "store"); err != nil || len(found.Problems) == 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestAdopted damages what an interrupted update left: the shard is read again.
func TestAdopted(t *testing.T) {
	days := inDays(t, 2)
	s := usual()
	interrupted := func() {
		t.Helper()
		w, err := Begin(t.Context(), "store", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		plan, err := w.Plan(t.Context(), discover(t, days), s.plan)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(t.Context(), plan, AddOptions{Reading: "baskets"}); err != nil {
			t.Fatal(err)
		}
	}
	interrupted()
	names, err := namesIn(t.Context(), "store/shards")
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	if err := os.Truncate("store/shards/"+names[0]+"/corpus", 20); err != nil {
		t.Fatal(err)
	}
	if _, added, _ := s.must(t, "store", days...); added.Read != 1 || added.Adopted != 1 {
		t.Errorf("%+v", added)
	}
	same(t, "adopted", current(t, "store"), s.whole(t, days...))
}
