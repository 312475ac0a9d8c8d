package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
)

// asProgram is the variable under which the binary of this test is bench itself: parts start themselves.
const asProgram = "BENCH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" && len(os.Args) > 1 && (os.Args[1] == run.ChildCommand || os.Args[1] == systems.ChildCommand) {
		main()
	}
	testscript.Main(m, map[string]func(){"bench": main})
}

// TestScripts runs the scripts of testdata against the program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"draw":    scriptDraw,
			"code":    scriptCode,
			"results": scriptResults,
			"only":    scriptOnly,
		},
	})
}

// scriptDraw: draw DIR writes a corpus of known topics as Parquet shards.
func scriptDraw(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: draw DIR")
	}
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o755))
	corpus := synth.Model{Items: 300, Topics: 6, Documents: 1200, Tokens: 40, Concentration: 0.1, Seed: 1}.Plant()
	_, err := corpus.WriteShards(context.Background(), folder, 2)
	ts.Check(err)
}

// scriptCode: code N COMMAND… runs a command and checks the exit code.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// scriptResults: results DIR checks a folder of results.
func scriptResults(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: results DIR")
	}
	if problems := benchtest.Problems(ts.MkAbs(args[0])); len(problems) > 0 {
		ts.Fatalf("%s", strings.Join(problems, "\n"))
	}
}

// scriptOnly: only DIR NAME… checks that a folder holds these files and no others.
func scriptOnly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: only DIR NAME...")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	found := make([]string, len(entries))
	for i, entry := range entries {
		found[i] = entry.Name()
	}
	if got, want := strings.Join(found, " "), strings.Join(args[1:], " "); got != want {
		ts.Fatalf("%s holds %s, want %s", args[0], got, want)
	}
}

// call runs a command line in this process.
func call(ctx context.Context, line string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(ctx, strings.Fields(line), nil, &out, &err)
	return code, out.String(), err.String()
}

func TestExitCodes(t *testing.T) {
	wrapped := func(err error) error { return fmt.Errorf("while writing: %w", err) }
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, exitDone}, {errors.New("other"), exitFailed}, {&usageError{errors.New("flag")}, exitUsage},
		{wrapped(context.Canceled), exitInterrupted}, {&keptError{"runs", context.Canceled}, exitInterrupted},
		{wrapped(durable.ErrExists), exitExists}, {wrapped(syscall.ENOSPC), exitResources}, {wrapped(syscall.EMFILE), exitResources},
		{wrapped(&shard.Error{}), exitInput}, {wrapped(&model.InputError{Path: "x", Reason: "y"}), exitInput},
		{&runError{&usageError{errors.New("flag")}}, exitUsage},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%v: code %d, want %d", test.err, got, test.want)
		}
	}
}

// Every line of the set is one that the program takes, and every folder is named once.
func TestAll(t *testing.T) {
	seen := make(map[string]bool)
	for _, of := range all {
		for _, line := range of.lines {
			command, rest, err := new(program).root().Find(strings.Fields(line))
			if err != nil || command.Name() != strings.Fields(line)[0] {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if err := command.ParseFlags(rest); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if seen[of.folder] {
			t.Errorf("two entries make %s", of.folder)
		}
		seen[of.folder] = true
	}
}

// drawnData returns a folder with data/wiki, a small drawn corpus.
func drawnData(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	wiki := filepath.Join(folder, "data", "wiki")
	if err := os.MkdirAll(wiki, 0o755); err != nil {
		t.Fatal(err)
	}
	corpus := synth.Model{Items: 300, Topics: 6, Documents: 600, Tokens: 30, Concentration: 0.1, Seed: 1}.Plant()
	if _, err := corpus.WriteShards(t.Context(), wiki, 2); err != nil {
		t.Fatal(err)
	}
	return folder
}

// The small form of every part makes results without failures, and a second time nothing.
func TestQuick(t *testing.T) {
	t.Setenv(asProgram, "1") // for the runs in separate processes
	data := drawnData(t)
	for _, part := range runParts {
		if part.Quick == "" { // it needs a program with MPI
			continue
		}
		t.Run(part.Name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), part.Name)
			line := part.Name + " -o " + folder + " " + strings.ReplaceAll(part.Quick, "DATA", data)
			code, _, stderr := call(t.Context(), line)
			if code != exitDone || !strings.Contains(stderr, "run made") || strings.Contains(stderr, "run failed") {
				t.Fatalf("%s: code %d\n%s", line, code, stderr)
			}
			benchtest.Results(t, folder)
			before := benchtest.Text(t, folder, "runs.csv")
			if code, _, stderr := call(t.Context(), line); code != exitDone || stderr != "" || benchtest.Text(t, folder, "runs.csv") != before {
				t.Errorf("a second time: code %d\n%s", code, stderr)
			}
		})
	}
}
