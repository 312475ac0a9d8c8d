package durable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCreateFile wants the first of several files at a path to stay, and a failing one to leave nothing.
func TestCreateFile(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "1.json")
	operations := 0
	faults = func(string) error { operations++; return nil }
	t.Cleanup(func() { faults = nil })
	if err := CreateFile(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := CreateFile(path, []byte("second")); !errors.Is(err, ErrExists) {
		t.Errorf("error %v", err)
	}
	if got := read(t, path); got != "first" {
		t.Errorf("it holds %q", got)
	}
	if operations < 10 {
		t.Errorf("%d operations", operations)
	}
	for k := 1; k <= 5; k++ { // create, write, sync, close, link
		n := 0
		faults = func(string) error {
			if n++; n == k {
				return errInjected
			}
			return nil
		}
		if err := CreateFile(filepath.Join(parent, "2.json"), []byte("x")); err != errInjected {
			t.Errorf("operation %d: %v", k, err)
		}
		if got := names(t, parent); !slices.Equal(got, []string{"1.json"}) {
			t.Errorf("operation %d left %q", k, got)
		}
	}
}

// TestLockDir wants one lock at a time on a directory.
func TestLockDir(t *testing.T) {
	path := t.TempDir()
	first, err := LockDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockDir(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	first.Unlock()
	second, err := LockDir(path)
	if err != nil {
		t.Fatal(err)
	}
	second.Unlock()
	if _, err := LockDir(filepath.Join(path, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// TestSymlinkAndRemove replaces a link, and removes a directory in which a removal can end halfway without its name
// being there.
func TestSymlinkAndRemove(t *testing.T) {
	parent := t.TempDir()
	link, dir := filepath.Join(parent, "current"), filepath.Join(parent, "a")
	for _, target := range []string{"a", "b"} {
		if err := Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(link); err != nil || got != target {
			t.Errorf("it leads to %q, %v", got, err)
		}
	}
	if err := writeModel(dir); err != nil {
		t.Fatal(err)
	}
	faults = func(operation string) error {
		if operation == "remove" {
			return errInjected
		}
		return nil
	}
	if err := RemoveAll(dir); err != errInjected {
		t.Errorf("error %v", err)
	}
	faults = nil
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory has its name after half a removal: %v", err)
	}
	if err := RemoveAll(dir); err != nil {
		t.Errorf("removed already: %v", err)
	}
	if err := errors.Join(writeModel(dir), RemoveAll(dir), MakeDir(dir), MakeDir(dir)); err != nil {
		t.Error(err)
	}
}

// TestCreateFileSwept lets a faster run make the file and remove the temporary one of the run under test before its link:
// it must learn that the file exists.
func TestCreateFileSwept(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "1.json")
	t.Cleanup(Inject(func(operation string) error {
		if !strings.HasPrefix(operation, "link") {
			return nil
		}
		mine, err := filepath.Glob(filepath.Join(parent, ".1.json.*"))
		if err != nil || len(mine) != 1 {
			t.Fatalf("%v, %v", mine, err)
		}
		return errors.Join(os.Remove(mine[0]), os.WriteFile(path, []byte("theirs"), 0o666))
	}))
	if err := CreateFile(path, []byte("mine")); !errors.Is(err, ErrExists) {
		t.Errorf("a run whose temporary file was swept: %v", err)
	}
}
