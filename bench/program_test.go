package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"anchorage/bench/internal/benchtest"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/shard"
)

func TestMain(m *testing.M) {
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

// Every part that is interrupted says so with its exit code and leaves nothing half-written.
func TestInterrupted(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	wiki := filepath.Join(data, "data", "wiki")
	if err := os.MkdirAll(wiki, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := (synth.Model{Items: 100, Topics: 3, Documents: 200, Tokens: 20, Seed: 1}).Plant().WriteShards(t.Context(), wiki, 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for line, left := range map[string][]string{
		"truth -o OUT/results --documents 300,600":                          {"results"},
		"paper -o OUT/results --corpora wiki --data " + data:                nil,
		"bayes -o OUT/results --topics 3 --items 50 " + wiki:                nil,
		"scale -o OUT/results --items 300 -k 5":                             {"results"},
		"topics -o OUT/results --data " + filepath.Dir(wiki):                {"results"},
		"refine -o OUT/results --corpora wiki --data " + filepath.Dir(wiki): {"results"},
		"all -o OUT/results --quick":                                        {"results"},
	} {
		out := t.TempDir()
		code, stdout, stderr := call(ctx, strings.Replace(line, "OUT", out, 1))
		if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "bench: interrupted: ") {
			t.Errorf("%s: code %d\n%s%s", line, code, stdout, stderr)
		}
		benchtest.Only(t, out, left...)
		if len(left) > 0 {
			benchtest.Only(t, filepath.Join(out, left[0]))
		}
	}
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

// The command line in a README.md does the same again, and names no folder of this machine.
func TestCommandLine(t *testing.T) {
	p := new(program)
	root := p.root()
	scaleCommand, _, err := root.Find([]string{"scale"})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-o", "/secret/results", "--items", "10,20", "--again", "--shards", "/secret/shards", "--log-level", "warn", "-k", "7"}
	if err := scaleCommand.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	want := "go run ./bench scale --again=true --items 10,20 --output RESULTS --shards SHARDS --topics 7"
	words := func(line string) map[string]bool {
		set := make(map[string]bool)
		for part := range strings.SplitSeq(line, " --") {
			set[part] = true
		}
		return set
	}
	got := commandLine(scaleCommand)
	for part := range words(want) {
		if !words(got)[part] {
			t.Errorf("%q is not in %q", part, got)
		}
	}
	if len(words(got)) != len(words(want)) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Fractions of a list are printed as they were given.
func TestCommandLineOfFractions(t *testing.T) {
	p := new(program)
	bayes, _, err := p.root().Find([]string{"bayes"})
	if err != nil {
		t.Fatal(err)
	}
	if err := bayes.ParseFlags([]string{"--t0", "1,0.25,64"}); err != nil {
		t.Fatal(err)
	}
	if got, want := commandLine(bayes), "go run ./bench bayes --t0 1,0.25,64"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every line of the set is one that the program takes, every folder is named once, and only series have several lines.
func TestParts(t *testing.T) {
	seen := make(map[string]bool)
	for _, part := range parts {
		for _, line := range append(slices.Clone(part.lines), part.quick) {
			if line == "" {
				continue
			}
			words := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, "RESULTS", "results"), "DATA", "data"))
			command, rest, err := new(program).root().Find(words)
			if err != nil || command.Name() != words[0] {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if err := command.ParseFlags(rest); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if err := command.ValidateArgs(command.Flags().Args()); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if !strings.Contains(line, "-o RESULTS") {
				t.Errorf("%s does not write to RESULTS", line)
			}
		}
		if seen[part.folder] {
			t.Errorf("two parts write to %s", part.folder)
		}
		if len(part.lines) == 0 || part.takes <= 0 || len(part.lines) > 1 && slices.ContainsFunc(part.lines, func(line string) bool { return !series(line) }) {
			t.Errorf("%s takes %v and has %d lines", part.folder, part.takes, len(part.lines))
		}
		seen[part.folder] = true
	}
}
