package durable

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

func write(content string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}
}

// writeModel is a whole run: a directory of two files.
func writeModel(path string) error {
	d, err := Create(path)
	if err != nil {
		return err
	}
	defer d.Abort()
	if err := d.WriteFile("b.txt", write("bb")); err != nil {
		return err
	}
	if err := d.WriteFile("a.txt", write("")); err != nil {
		return err
	}
	return d.Commit()
}

// complete fails the test unless path is what writeModel writes.
func complete(t *testing.T, path string) {
	t.Helper()
	if got := names(t, path); !slices.Equal(got, []string{Success, "a.txt", "b.txt"}) {
		t.Fatalf("%s holds %q", path, got)
	}
	if got := read(t, filepath.Join(path, "b.txt")); got != "bb" {
		t.Fatalf("b.txt holds %q", got)
	}
}

func TestDir(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "model")
	d, err := Create(path + "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.txt", "a.txt"} {
		if err := d.WriteFile(name, write(name[:1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"b.txt", "", ".", "..", "x/y", "/", Success} {
		if err := d.WriteFile(name, write("")); err == nil {
			t.Errorf("a file could be named %q", name)
		}
	}
	if err := d.WriteFile("c.txt", func(io.Writer) error { return errInjected }); err != errInjected {
		t.Errorf("error %v", err)
	}
	want := []File{
		{"a.txt", 1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
		{"b.txt", 1, "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"},
	}
	if got := d.Files(); !slices.Equal(got, want) {
		t.Errorf("files %v", got)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the directory is there before Commit")
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	d.Abort()
	if got := names(t, path); !slices.Equal(got, []string{Success, "a.txt", "b.txt"}) {
		t.Errorf("committed: %q", got)
	}
	if got := names(t, parent); !slices.Equal(got, []string{"model"}) {
		t.Errorf("beside it: %q", got)
	}
	if d.Commit() == nil || d.WriteFile("d.txt", write("")) == nil {
		t.Error("a committed directory can be written")
	}
}

// TestFilesAtOnce writes files from several goroutines: all are listed.
func TestFilesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	names := []string{"a", "b", "c", "d", "e", "f"}
	var group errgroup.Group
	for _, name := range names {
		group.Go(func() error {
			return d.WriteFile(name, write(strings.Repeat(name, 100_000)))
		})
	}
	if err := cmp.Or(group.Wait(), d.Commit()); err != nil {
		t.Fatal(err)
	}
	for at, file := range d.Files() {
		content, err := os.ReadFile(filepath.Join(path, names[at]))
		if sum := sha256.Sum256(content); err != nil || file.Name != names[at] || file.Size != 100_000 ||
			file.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("file %d is %+v: %v", at, file, err)
		}
	}
	if len(d.Files()) != len(names) {
		t.Errorf("%d files are listed, want %d", len(d.Files()), len(names))
	}
}

func TestCreateRefuses(t *testing.T) {
	parent := t.TempDir()
	path := func(name string) string { return filepath.Join(parent, name) }
	os.Mkdir(path("directory"), 0o777)
	os.WriteFile(path("file"), nil, 0o666)
	os.Symlink("nowhere", path("symlink"))
	before := names(t, parent)
	for _, name := range append(before, ".", "..") {
		if _, err := Create(path(name)); !errors.Is(err, ErrExists) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Create(path("missing/model")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing parent: error %v", err)
	}
	if got := names(t, parent); !slices.Equal(got, before) {
		t.Errorf("left behind: %q", got)
	}
}

func TestCreateTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	first.WriteFile("first.txt", write("1"))
	if _, err := Create(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("while the first runs: error %v", err)
	}
	if got := names(t, first.Path()); !slices.Equal(got, []string{"first.txt"}) {
		t.Fatalf("the second run touched the first: %q", got)
	}
	first.Abort()
	if err := writeModel(path); err != nil {
		t.Fatalf("after the first is aborted: %v", err)
	}
	complete(t, path)
	if _, err := Create(path); !errors.Is(err, ErrExists) {
		t.Fatalf("after it is done: error %v", err)
	}
}

// TestCommitFindsPathTaken puts something at the path while the directory is written: an empty directory, which a
// rename would replace.
func TestCommitFindsPathTaken(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "model")
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	os.Mkdir(path, 0o777)
	if err := d.Commit(); !errors.Is(err, ErrExists) {
		t.Fatalf("error %v", err)
	}
	if got := names(t, parent); !slices.Equal(got, []string{"model"}) {
		t.Fatalf("left behind: %q", got)
	}
}

// TestDirFaults makes every operation fail in turn. The directory is complete or absent, and the next run succeeds.
func TestDirFaults(t *testing.T) {
	for n := 0; ; n++ {
		parent := t.TempDir()
		path := filepath.Join(parent, "model")
		count := failAt(t, n)
		err := writeModel(path)
		faults = nil
		if *count <= n {
			if err != nil {
				t.Fatal(err)
			}
			complete(t, path)
			return
		}
		if !errors.Is(err, errInjected) {
			t.Fatalf("fault %d: error %v", n, err)
		}
		if _, err := os.Lstat(path); err == nil { // the last operation syncs the parent
			complete(t, path)
			continue
		}
		if err := writeModel(path); err != nil {
			t.Fatalf("fault %d: the next run: %v", n, err)
		}
		complete(t, path)
		if got := names(t, parent); !slices.Equal(got, []string{"model"}) {
			t.Fatalf("fault %d: left behind: %q", n, got)
		}
	}
}

// killFolder makes the test binary, run again as another process, to call killed with that folder.
const killFolder = "DURABLE_KILL_FOLDER"

// killed is set where there are locks and signals.
var killed func(folder string)

// crashVariables tell the test binary, run again as another process, what to write and where to die.
const (
	crashPath = "DURABLE_CRASH_PATH"
	crashAt   = "DURABLE_CRASH_AT"
	crashExit = 86
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(killFolder); folder != "" {
		killed(folder)
	}
	path := os.Getenv(crashPath)
	if path == "" {
		os.Exit(m.Run())
	}
	left, err := strconv.Atoi(os.Getenv(crashAt))
	if err != nil {
		panic(err)
	}
	faults = func(string) error {
		if left--; left < 0 {
			os.Exit(crashExit)
		}
		return nil
	}
	if err := writeModel(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestDirCrash makes a process die before every operation in turn. No lock outlives it.
func TestDirCrash(t *testing.T) {
	for n := 0; ; n++ {
		parent := t.TempDir()
		path := filepath.Join(parent, "model")
		run := exec.Command(os.Args[0])
		run.Env = append(os.Environ(), crashPath+"="+path, crashAt+"="+strconv.Itoa(n))
		output, err := run.CombinedOutput()
		if err == nil {
			complete(t, path)
			return
		}
		if run.ProcessState.ExitCode() != crashExit {
			t.Fatalf("crash %d: %v: %s", n, err, output)
		}
		if _, err := os.Lstat(path); err == nil {
			complete(t, path)
			continue
		}
		if err := writeModel(path); err != nil {
			t.Fatalf("crash %d: the next run: %v", n, err)
		}
		complete(t, path)
		if got := names(t, parent); !slices.Equal(got, []string{"model"}) {
			t.Fatalf("crash %d: left behind: %q", n, got)
		}
	}
}
