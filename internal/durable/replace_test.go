package durable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestReplace replaces a directory, with a fault at every operation: the old one is there or the new one, complete, and
// nothing else.
func TestReplace(t *testing.T) {
	if !canExchange {
		t.Log("this system cannot exchange directories")
		return
	}
	for n := 0; ; n++ {
		folder := t.TempDir()
		path := filepath.Join(folder, "model")
		for _, content := range []string{"old"} {
			d, err := Replace(path, nil) // where there is nothing yet
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.WriteFile("a.txt", write(content)), d.Commit()); err != nil {
				t.Fatal(err)
			}
		}
		count := failAt(t, n)
		d, err := Replace(path, nil)
		if err == nil {
			if _, second := Replace(path, nil); n > 10 && !errors.Is(second, ErrLocked) && !errors.Is(second, errInjected) {
				t.Fatalf("two runs replace at a time: %v", second)
			}
			if got := read(t, filepath.Join(path, "a.txt")); got != "old" {
				t.Fatalf("the old is gone before the new is complete: %q", got)
			}
			err = d.WriteFile("a.txt", write("new"))
			if err == nil {
				err = d.Commit()
			}
			d.Abort()
		}
		faults = nil
		content := read(t, filepath.Join(path, "a.txt"))
		if got, said := names(t, folder), Left(); !slices.Equal(got, []string{"model"}) && !errors.Is(err, errInjected) &&
			len(said) == 0 {
			t.Fatalf("fault %d: the folder holds %q", n, got)
		}
		if _, missing := os.Stat(filepath.Join(path, Success)); missing != nil || content != "old" && content != "new" {
			t.Fatalf("fault %d: %q, %v", n, content, missing)
		}
		if *count <= n {
			if err != nil || content != "new" {
				t.Fatalf("without a fault: %v, %q", err, content)
			}
			return
		}
	}
}

// TestReplaceOthers wants nothing to be replaced that no run wrote.
func TestReplaceOthers(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "mine")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "letter.txt"), []byte("dear"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, filepath.Join(path, "letter.txt")} {
		if _, err := Replace(path, nil); !errors.Is(err, ErrNotReplaceable) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got := names(t, folder); !slices.Equal(got, []string{"mine"}) || read(t,
		filepath.Join(path, "letter.txt")) != "dear" {
		t.Errorf("%q", got)
	}
}

// TestHold holds the place of a file.
func TestHold(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "v.parquet")
	release, err := Hold(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(path, false); !errors.Is(err, ErrLocked) {
		t.Errorf("a second run: %v", err)
	}
	release()
	if got := names(t, folder); len(got) > 0 {
		t.Errorf("left behind: %q", got)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(path, false); !errors.Is(err, ErrExists) {
		t.Errorf("an existing file: %v", err)
	}
	if release, err = Hold(path, true); err != nil {
		t.Fatal(err)
	}
	release()
}
