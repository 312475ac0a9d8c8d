package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"anchorage/internal/durable"
	"anchorage/internal/long"
)

// killAt says before which operation on the file system the test binary, run again as the program, kills itself.
const killAt = "ANCHORAGE_KILL_AT"

// killedAt is the program that kills itself, as kill -9 does.
func killedAt(at int) {
	durable.Inject(func(string) error {
		if at--; at < 0 {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				panic(err)
			}
			select {} // until the signal arrives
		}
		return nil
	})
	os.Args = append([]string{"anchorage"}, os.Args[1:]...)
	main()
}

// kill runs a command line that is killed before its operation number at. It reports whether there was such an
// operation.
func kill(t *testing.T, at int, args ...string) bool {
	t.Helper()
	run := exec.Command(os.Args[0], args...)
	run.Env = append(os.Environ(), killAt+"="+strconv.Itoa(at))
	output, err := run.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Exited()) {
		t.Fatalf("%q killed at %d: %v\n%s", args, at, err, output)
	}
	return err != nil
}

// temporaries returns the temporary files and folders below the working directory.
func temporaries(t *testing.T) (found []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err == nil && path != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "anchorage-")) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestKilledRunsLeaveNothing kills fits at many of their operations on files, with outputs of other names each time and
// a folder of their own for working files. The next run removes what they left, and its model is that of a run that
// nothing preceded.
func TestKilledRunsLeaveNothing(t *testing.T) {
	inCorpus(t, 2)
	for _, name := range []string{"clean", "work", "tmp"} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	temporary, err := filepath.Abs("tmp")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	denser := 1
	if long.Tier() {
		denser = 2
	}
	lines := map[string][]string{
		"fit": {"fit", "shards", "-k", "6", "--spill-dir", "work", "--set", "corrections=spill", "--quiet",
			"--refine", "none"},
		"bayes": {"bayes", "fit", "shards", "--model", "bnmf", "-k", "4", "--batch", "--epochs", "2", "--spill-dir",
			"work", "--quiet"},
	}
	for name, line := range lines {
		execute(t, exitDone, append(line, "-o", filepath.Join("clean", name))...)
		kills, most := 0, 0
		for at := 0; kill(t, at, append(line, "-o", name+"-"+strconv.Itoa(at))...); at += 1 + at/denser {
			kills++
			most = max(most, len(temporaries(t)))
		}
		if kills < 5 || most == 0 {
			t.Errorf("%s: only %d kills, which left at most %d temporaries", name, kills, most)
		}
		execute(t, exitDone, append(line, "-o", name+"-last")...)
		if left := temporaries(t); len(left) > 0 {
			t.Errorf("%s: left after the last run: %q", name, left)
		}
		if got, want := contents(t, name+"-last"), contents(t, filepath.Join("clean", name)); got != want {
			t.Errorf("%s: after killed runs:\n%s\nwithout:\n%s", name, got, want)
		}
	}
}

// TestFailingRemoval makes every removal of working files fail: the output is complete, holds none of them, and a warning
// names each that stays.
func TestFailingRemoval(t *testing.T) {
	inCorpus(t, 2)
	if err := os.Mkdir("work", 0o777); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "model")
	for name, line := range map[string][]string{
		"fit":       {"fit", "shards", "-k", "6"},
		"bayes":     {"bayes", "fit", "shards", "--model", "bnmf", "-k", "4"},
		"batch":     {"bayes", "fit", "shards", "--model", "lda", "-k", "4", "--batch", "--set", "iterations=2"},
		"spill":     {"fit", "shards", "-k", "6", "--spill-dir", "work", "--set", "corrections=spill", "--levels", "2,6"},
		"transform": {"transform", "model", "shards"},
		"convert":   {"convert", "shards"},
		"sketch":    {"sketch", "shards", "-k", "6"},
	} {
		execute(t, exitDone, append(line, "-o", name)...)
		undo := durable.Inject(func(operation string) error {
			if operation == "remove" {
				return fs.ErrPermission
			}
			return nil
		})
		_, stderr := execute(t, exitDone, append(line, "-o", name+"-kept")...)
		undo()
		for _, path := range temporaries(t) {
			if !seen[path] && !strings.Contains(stderr, path+" stays") {
				t.Errorf("%s: %s stays and no warning says it: %s", name, path, stderr)
			}
			seen[path] = true
		}
		if got, want := contents(t, name+"-kept"), contents(t, name); got != want {
			t.Errorf("%s: the model holds\n%s\nnot\n%s", name, got, want)
		}
		execute(t, exitDone, "verify", name+"-kept")
	}
	if left := temporaries(t); len(left) == 0 {
		t.Error("nothing was kept: the test tests nothing")
	}
	execute(t, exitDone, "fit", "shards", "-k", "4", "--spill-dir", "work", "-o", "later")
	if left := temporaries(t); len(left) > 0 {
		t.Errorf("a later run leaves %q", left)
	}
}

// broken is a stdout that cannot be written.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestUnreported breaks stdout, or the last sync of a directory: the code says that the output is complete, it is, and
// a retry finds it.
func TestUnreported(t *testing.T) {
	inCorpus(t, 1)
	execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "model")
	for name, line := range map[string][]string{
		"fit":       {"fit", "shards", "-k", "4"},
		"vocab":     {"vocab", "shards"},
		"convert":   {"convert", "shards"},
		"transform": {"transform", "model", "shards"},
	} {
		var stderr strings.Builder
		stdout := append(line, "-o", name+"-stdout")
		if code := run(t.Context(), stdout, nil, broken{}, &stderr); code != exitUnreported ||
			!strings.Contains(stderr.String(), name+"-stdout is complete, but") {
			t.Errorf("%s without stdout: code %d: %s", name, code, stderr.String())
		}
		execute(t, exitExists, stdout...)

		synced := append(line, "-o", name+"-sync")
		undo := durable.Inject(func(operation string) error {
			if _, err := os.Lstat(name + "-sync"); operation == "sync directory" && err == nil {
				return errors.New("sync failed")
			}
			return nil
		})
		_, told := execute(t, exitUnreported, synced...)
		undo()
		if !strings.Contains(told, name+"-sync is complete, but its folder could not be synced") {
			t.Errorf("%s without the sync: %s", name, told)
		}
		execute(t, exitExists, synced...)
	}
	for _, path := range []string{"fit-stdout", "fit-sync", "vocab-sync", "convert-stdout", "transform-sync"} {
		execute(t, exitDone, "verify", path)
	}
}

// TestKilledAtTheEnd kills runs with checkpoints when their output is at its place. The retry, which finds it there,
// removes what they left.
func TestKilledAtTheEnd(t *testing.T) {
	inCorpus(t, 1)
	for name, line := range map[string][]string{
		"bayes": {"bayes", "fit", "shards", "--model", "lda", "-k", "4", "--batch", "--set", "iterations=2",
			"--checkpoint-interval", "0", "--resume=auto"},
		"sketch": {"sketch", "shards", "-k", "4", "--resume=auto", "--checkpoint-interval", "1h"},
	} {
		operations := 0
		undo := durable.Inject(func(string) error { operations++; return nil })
		execute(t, exitDone, append(line, "-o", name)...)
		undo()
		before := temporaries(t)
		left := 0
		for at := operations - 1; ; at-- {
			path := name + "-" + strconv.Itoa(at)
			kill(t, at, append(line, "-o", path)...)
			if _, err := os.Lstat(path); err != nil {
				execute(t, exitDone, append(line, "-o", path)...)
				break
			}
			left += len(temporaries(t))
			execute(t, exitExists, append(line, "-o", path)...)
			if found := temporaries(t); len(found) > len(before) {
				t.Errorf("%s killed at %d of %d: the retry leaves %q", name, at, operations, found)
			}
		}
		if left == 0 {
			t.Errorf("%s: killed runs have left nothing: the test tests nothing", name)
		}
	}
}
