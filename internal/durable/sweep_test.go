//go:build unix && !solaris && !illumos && !aix

package durable

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func init() { killed = untilKilled }

// writeAll begins one of each temporary that this package makes, in a folder. Names are unlike those of other runs, as
// those of dated outputs are.
func writeAll(folder, date string) (end func() error, err error) {
	scratch, err := NewScratch(folder, "corpus")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(scratch.Path(), "copy"), []byte("copy"), 0o666); err != nil {
		return nil, err
	}
	file, err := NewWriter(filepath.Join(folder, "file-"+date))
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(file, date); err != nil {
		return nil, err
	}
	dir, err := Create(filepath.Join(folder, "model-"+date))
	if err != nil {
		return nil, err
	}
	if _, err := dir.Scratch(); err != nil {
		return nil, err
	}
	if err := dir.WriteFile("a.txt", write("a")); err != nil {
		return nil, err
	}
	return func() error {
		defer dir.Abort()
		if err := file.Commit(); err != nil {
			return err
		}
		if err := dir.Commit(); err != nil {
			return err
		}
		dir.RemoveScratch()
		scratch.Remove()
		return nil
	}, nil
}

// untilKilled is what the process does that TestSweepKilled and TestSweepAlive start.
func untilKilled(folder string) {
	if at, err := strconv.Atoi(os.Getenv(crashAt)); err == nil {
		faults = func(string) error {
			if at--; at < 0 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
	}
	end, err := writeAll(folder, "monday")
	if err == nil && os.Getenv(crashAt) == "" {
		os.Stdout.WriteString("ready\n")
		io.Copy(io.Discard, os.Stdin) // until it is killed
	}
	if err == nil {
		err = end()
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// visible returns the names in a folder, and fails the test if there is anything hidden or a scratch folder.
func visible(t *testing.T, when, folder string) []string {
	t.Helper()
	all := names(t, folder)
	for _, name := range all {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, scratchPrefix) {
			t.Errorf("%s: %s is left in %q", when, name, all)
		}
	}
	return all
}

// TestSweepKilled kills a process with SIGKILL before each of its operations in turn. A run on another output of the
// same folder then leaves nothing of it but complete outputs.
func TestSweepKilled(t *testing.T) {
	for n := 0; ; n++ {
		folder := t.TempDir()
		run := exec.Command(os.Args[0])
		run.Env = append(os.Environ(), killFolder+"="+folder, crashAt+"="+strconv.Itoa(n))
		output, err := run.CombinedOutput()
		if err == nil {
			if n < 15 {
				t.Errorf("only %d operations", n)
			}
			return
		}
		if status := run.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
			t.Fatalf("operation %d: %v: %s", n, err, output)
		}
		end, err := writeAll(folder, "tuesday")
		if err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		after := visible(t, "operation "+strconv.Itoa(n), folder)
		for _, name := range []string{"file-tuesday", "model-tuesday"} {
			if !slices.Contains(after, name) {
				t.Errorf("operation %d: %s is missing from %q", n, name, after)
			}
		}
	}
}

// TestSweepAlive has runs on other outputs of a folder sweep while a process writes to it: they leave all that is its
// own, until it is killed.
func TestSweepAlive(t *testing.T) {
	folder := t.TempDir()
	run := exec.Command(os.Args[0])
	run.Env = append(os.Environ(), killFolder+"="+folder)
	input, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	output, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the process says %q, %v", line, err)
	}
	before := names(t, folder)
	if len(before) != 4 {
		t.Errorf("the live run has %q", before)
	}
	foreign := []string{".notes.anchorage-tmp", ".x.ABC.tmp", ".y.partial", "anchorage-corpus-123", "anchorage-corpus"}
	for _, name := range foreign {
		if err := os.Mkdir(filepath.Join(folder, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(filepath.Join(folder, "other"), write("x")); err != nil {
		t.Fatal(err)
	}
	with := append(append(slices.Clone(before), foreign...), "other")
	slices.Sort(with)
	if got := names(t, folder); !slices.Equal(got, with) {
		t.Errorf("beside a live run: %q, not %q", got, with)
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.Wait()
	Sweep(folder)
	left := append(slices.Clone(foreign), "other")
	slices.Sort(left)
	if got := names(t, folder); !slices.Equal(got, left) {
		t.Errorf("after its death: %q, not %q", got, left)
	}
}

// TestScratchNeverCommitted leaves files in the scratch folder of a directory, which must not become part of it, even
// if they cannot be removed.
func TestScratchNeverCommitted(t *testing.T) {
	parent := t.TempDir()
	dir, err := Create(filepath.Join(parent, "model"))
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := dir.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scratch, "working"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := dir.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Join(parent, "model")); !slices.Equal(got, []string{Success}) {
		t.Errorf("committed: %q", got)
	}
	failAt(t, 0)
	Left()
	dir.RemoveScratch()
	if left := Left(); len(left) != 1 || !strings.Contains(left[0].Error(), scratch+" stays") {
		t.Errorf("a failing removal is told as %v", left)
	}
	faults = nil
	Sweep(parent)
	if got := names(t, parent); !slices.Equal(got, []string{"model"}) {
		t.Errorf("left: %q", got)
	}
}

// TestSweepRefused begins an output that is complete: its run died before it had removed its working files. The retry,
// which is refused, removes them.
func TestSweepRefused(t *testing.T) {
	for name, begin := range map[string]func(path string) error{
		"Create": func(path string) error { _, err := Create(path); return err },
		"Hold":   func(path string) error { _, err := Hold(path, false); return err },
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "out")
		for _, made := range []string{path, filepath.Join(folder, ".out."+strings.Repeat("A", 26)+"."+temporarySuffix)} {
			if err := os.Mkdir(made, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := begin(path); !errors.Is(err, ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
		if got := names(t, folder); !slices.Equal(got, []string{"out"}) {
			t.Errorf("%s leaves %q", name, got)
		}
	}
}
