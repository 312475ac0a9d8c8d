package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var errInjected = errors.New("injected fault")

// failAt makes the n-th operation on the file system fail, from 0, until the test ends. It counts operations.
func failAt(t *testing.T, n int) (count *int) {
	count = new(int)
	faults = func(operation string) error {
		*count++
		if *count == n+1 {
			return fmt.Errorf("%s: %w", operation, errInjected)
		}
		return nil
	}
	t.Cleanup(func() { faults = nil })
	return count
}

// names returns the names in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestWriteFileFaults makes every operation fail in turn. Afterwards the old file is there or the new one.
func TestWriteFileFaults(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), bufferSize/8)
	for n := 0; ; n++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		count := failAt(t, n)
		err := WriteFile(path, func(w io.Writer) error {
			_, err := w.Write(long)
			return err
		})
		faults = nil
		if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
			t.Fatalf("fault %d: the directory holds %q", n, got)
		}
		content := read(t, path)
		if *count <= n { // no operation failed
			if err != nil || content != string(long) {
				t.Fatalf("without a fault: error %v, %d bytes", err, len(content))
			}
			if n < 6 {
				t.Fatalf("only %d operations: create, write, sync, close, rename and sync are expected", n)
			}
			return
		}
		if !errors.Is(err, errInjected) {
			t.Fatalf("fault %d: error %v", n, err)
		}
		// The last operation syncs the directory: then the new file is there already.
		if content != "old" && content != string(long) {
			t.Fatalf("fault %d: half a file: %d bytes", n, len(content))
		}
	}
}

func TestWriteFileCallbackError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	err := WriteFile(path, func(w io.Writer) error {
		fmt.Fprint(w, "half")
		return errInjected
	})
	if err != errInjected {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		WriteFile(path, func(w io.Writer) error { panic("half way") })
	}()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
}

// What is no file stays: a rename would put a file in the place of a device.
func TestWriteFileOverDevice(t *testing.T) {
	for _, path := range []string{t.TempDir(), os.DevNull} {
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := NewWriter(path); err == nil { // not committed: it would take the place of the device
			w.Abort()
			t.Errorf("%s: a file was begun in its place", path)
		}
		if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another: %v", path, err)
		}
	}
}

func TestWriterAfterItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	w, err := NewWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "content")
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := w.Commit(); err == nil {
		t.Error("a second Commit succeeds")
	}
	if got := read(t, path); got != "content" {
		t.Errorf("content %q", got)
	}
}

// TestRemove removes a file twice.
func TestRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file is still there: %v", err)
		}
	}
	if err := Remove(filepath.Join(path, "below", "nothing")); err != nil {
		t.Error(err)
	}
}

// TestLeft makes the removal of temporary files and folders fail, one way after the other: each that stays is told of.
func TestLeft(t *testing.T) {
	fail := func(operations ...string) {
		faults = func(operation string) error {
			if slices.Contains(operations, operation) {
				return errInjected
			}
			return nil
		}
	}
	defer func() { faults = nil }()
	for name, test := range map[string]struct {
		faults []string
		write  func(path string) error
		wants  error
	}{
		"a file that fails": {[]string{"remove", "sync"}, func(path string) error {
			return WriteFile(path, write("x"))
		}, errInjected},
		"a new file": {[]string{"remove"}, func(path string) error { return CreateFile(path, []byte("x")) }, nil},
		"a new file that fails": {[]string{"remove", "link"}, func(path string) error {
			return CreateFile(path, []byte("x"))
		}, errInjected},
		"a link that fails": {[]string{"remove", "rename"}, func(path string) error {
			return Symlink("a", path)
		}, errInjected},
		"a folder that is given up": {[]string{"remove"}, func(path string) error {
			d, err := Create(path)
			if err == nil {
				d.Abort()
			}
			return err
		}, nil},
		"working files": {[]string{"remove"}, func(path string) error {
			d, err := Create(path)
			if err != nil {
				return err
			}
			_, err = d.Scratch()
			d.Abort()
			return err
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			Left()
			fail(test.faults...)
			err := test.write(filepath.Join(folder, "out"))
			faults = nil
			said := errors.Join(Left()...)
			if !errors.Is(err, test.wants) || !errors.Is(said, errInjected) {
				t.Fatalf("%v; left: %v", err, said)
			}
			for _, name := range names(t, folder) {
				if name != "out" && !strings.Contains(said.Error(), name) && name[0] == '.' {
					t.Errorf("%s stays, and only this was said: %v", name, said)
				}
			}
		})
	}
}
