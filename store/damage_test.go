package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/internal/long"
)

// TestDamage changes every file of a store, one at a time: Verify must find each, and an update that needs the file,
// and is not given the shard that it is of, must fail. Without damage it succeeds.
func TestDamage(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days[:2]...)
	var files []string
	err := filepath.WalkDir("store", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
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
			if err == nil && len(found.Problems) == 0 && !(how == "flipped" &&
				file == "store/store.json") { // its version decides nothing
				t.Errorf("%s, %s: not found", file, how)
			}
			if needed(file) {
				if _, _, _, err := s.update(t, "store", days[2]); err == nil {
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
	return strings.HasPrefix(file, "store/shards") || strings.HasPrefix(file, "store/vocabulary") ||
		strings.HasPrefix(file, "store/states")
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
	if _, _, _, err := s.update(t, "store", days[2]); !isFault(err, Damaged) {
		t.Errorf("error %v", err)
	}
	if found, err := Verify(t.Context(), "store"); err != nil || len(found.Problems) == 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestHealed damages what a store of two generations has of a shard, file by file. An update that is given the shard
// reads it again, and the states of both generations are whole then.
func TestHealed(t *testing.T) {
	days := inDays(t, 3)
	s := usual()
	s.must(t, "store", days[:2]...)
	_, added, _ := s.must(t, "store", days...)
	opened, err := Open(t.Context(), "store")
	if err != nil || len(added.Shards) != 1 {
		t.Fatal(err)
	}
	folder := filepath.Join("store", shardsFolder, opened.State.Shards[1].SHA256)
	want := s.whole(t, days...)
	flip := func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content[len(content)/2] ^= 4
		return os.WriteFile(path, content, 0o666)
	}
	type damaging struct {
		name   string
		do     func(string) error
		rehash bool // nothing else finds it
	}
	for _, damage := range long.Grid(4, damaging{itemsFile, os.Remove, false}, damaging{".", os.RemoveAll, false},
		damaging{recordFile, flip, false}, damaging{copyFile, flip, true}, damaging{copyFile, os.Remove, false},
		damaging{recordFile, os.Remove, false}, damaging{"_SUCCESS", os.Remove, false}, damaging{itemsFile, flip, true}) {
		if err := damage.do(filepath.Join(folder, damage.name)); err != nil {
			t.Fatal(err)
		}
		s.plan.Rehash = false
		if damage.rehash {
			if _, _, generated, err := s.update(t, "store", days...); err != nil || generated != nil {
				t.Errorf("%s: without hashes there is nothing to do: %v", damage.name, err)
			}
			s.plan.Rehash = true
		}
		plan, added, _ := s.must(t, "store", days...)
		if added.Read != 1 || len(plan.Fresh) != 1 || !plan.Fresh[0].Heals || plan.Known != 2 {
			t.Errorf("%s: %+v, %+v", damage.name, plan, added)
		}
		same(t, damage.name, current(t, "store"), want)
		if found, err := Verify(t.Context(), "store"); err != nil || len(found.Problems) > 0 {
			t.Errorf("%s: %+v, %v", damage.name, found, err)
		}
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
