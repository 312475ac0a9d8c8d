package durable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// stage begins a staged directory with one file, in a temporary folder of the test's own.
func stage(t *testing.T, publish func(string) error) (d *Dir, temporary string) {
	t.Helper()
	temporary = t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // Windows
	d, err := Stage(publish)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("a.txt", write("a")); err != nil {
		t.Fatal(err)
	}
	if got := names(t, temporary); len(got) != 1 {
		t.Fatalf("the temporary folder holds %q", got)
	}
	return d, temporary
}

func TestStageCommit(t *testing.T) {
	calls := 0
	d, temporary := stage(t, func(folder string) error {
		calls++
		if got := names(t, folder); !slices.Equal(got, []string{"a.txt"}) {
			t.Errorf("publish is given %q", got)
		}
		if got := read(t, filepath.Join(folder, "a.txt")); got != "a" {
			t.Errorf("a.txt holds %q", got)
		}
		return nil
	})
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	d.Abort()
	if d.Commit() == nil || calls != 1 {
		t.Errorf("published %d times", calls)
	}
	if got := names(t, temporary); len(got) > 0 {
		t.Errorf("left behind: %q", got)
	}
}

// TestStageEnds ends a staged directory in every other way: nothing is left, and only Commit publishes.
func TestStageEnds(t *testing.T) {
	fail := func(string) error { return errInjected }
	d, temporary := stage(t, fail)
	if err := d.Commit(); err != errInjected {
		t.Errorf("error %v", err)
	}
	if got := names(t, temporary); len(got) > 0 {
		t.Errorf("after an error: %q", got)
	}

	d, temporary = stage(t, func(string) error { panic("half way") })
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		d.Commit()
	}()
	if got := names(t, temporary); len(got) > 0 {
		t.Errorf("after a panic: %q", got)
	}

	d, temporary = stage(t, func(string) error { t.Error("an aborted directory is published"); return nil })
	d.Abort()
	if err := d.Commit(); err == nil {
		t.Error("an aborted directory can be committed")
	}
	if got := names(t, temporary); len(got) > 0 {
		t.Errorf("after Abort: %q", got)
	}

	failAt(t, 0)
	if _, err := Stage(fail); !errors.Is(err, errInjected) {
		t.Errorf("no folder could be made: %v", err)
	}
	if got, err := os.ReadDir(temporary); len(got) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", got, err)
	}
}
