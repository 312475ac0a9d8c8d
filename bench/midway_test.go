package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/truth"
	"anchorage/internal/synth"
)

// drawnWiki returns a folder with data/wiki, a small drawn corpus.
func drawnWiki(t *testing.T) string {
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

// listener calls a function when a text is written to it.
type listener struct {
	text string
	call func()
	all  bytes.Buffer
}

func (l *listener) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(l.text)) {
		l.call()
	}
	return l.all.Write(p)
}

// A part that is interrupted after its first figures leaves nothing but what a later command goes on from.
func TestInterruptedMidway(t *testing.T) {
	data := drawnWiki(t)
	for _, test := range []struct {
		line, after string
		left        []string
		says        string
	}{
		{"truth --items 100 -k 3 --documents 300,600", "msg=recovered", []string{"results"}, "goes on from the runs in"},
		{"paper --data DATA --corpora wiki --topics 3,4 --figures 3", `msg="figure 3"`, nil, "nothing was written"},
		{"bayes DATA/data/wiki --topics 3,4 --batch-sizes 50 --items 100 --max-df-ratio 1", "msg=fitted", []string{"results"}, "goes on from the fits in"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := t.TempDir()
		stderr := &listener{text: test.after, call: cancel}
		words := strings.Fields(strings.ReplaceAll(test.line, "DATA", data))
		code := execute(ctx, append(words, "-o", filepath.Join(out, "results")), nil, io.Discard, stderr)
		cancel()
		if code != exitInterrupted || !strings.Contains(stderr.all.String(), "bench: interrupted: ") || !strings.Contains(stderr.all.String(), test.says) {
			t.Errorf("%s: code %d\n%s", test.line, code, stderr.all.String())
		}
		benchtest.Only(t, out, test.left...)
	}
}

// failingWriter cannot be written to.
type failingWriter struct{}

var errClosed = errors.New("closed")

func (failingWriter) Write([]byte) (int, error) { return 0, errClosed }

// Results are there although nobody could be told.
func TestClosedOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	var stderr bytes.Buffer
	code := execute(t.Context(), []string{"truth", "-o", out, "--items", "100", "-k", "3", "--documents", "300", "--seeds", "1"}, nil, failingWriter{}, &stderr)
	if code != exitFailed || !strings.Contains(stderr.String(), "bench: closed") {
		t.Errorf("code %d: %s", code, stderr.String())
	}
	benchtest.Results(t, out)
}

// A folder that cannot be written to is an error, and no panic.
func TestReadOnlyOutput(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"truth --items 100 -k 3 --documents 300 --seeds 1 -o " + filepath.Join(file, "results"),
		"scale --items 300 -k 5 -o " + file,
		"all --quick -o " + file,
	} {
		if code, _, stderr := call(t.Context(), line); code == exitDone || stderr == "" {
			t.Errorf("%s: code %d, %q", line, code, stderr)
		}
	}
	benchtest.Only(t, folder, "file")
}

// everyCommand calls a function for every command that people see.
func everyCommand(fn func(*cobra.Command)) {
	for _, cmd := range new(program).root().Commands() {
		if !cmd.Hidden && cmd.Name() != "help" {
			fn(cmd)
		}
	}
}

// Every part has a help text in whole sentences, an example that it takes, and -o.
func TestHelp(t *testing.T) {
	var names []string
	everyCommand(func(cmd *cobra.Command) {
		names = append(names, cmd.Name())
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || !strings.Contains(cmd.Long, ".") {
			t.Errorf("%s: %q, %q", cmd.Name(), cmd.Short, cmd.Long)
		}
		if cmd.Flags().Lookup("output") == nil || cmd.Flags().ShorthandLookup("o") == nil {
			t.Errorf("%s has no -o", cmd.Name())
		}
		for line := range strings.Lines(cmd.Long) {
			if len([]rune(strings.TrimSpace(line))) > 130 {
				t.Errorf("%s: a line of %d characters: %s", cmd.Name(), len(line), line)
			}
		}
		for line := range strings.Lines(cmd.Example) {
			words := strings.Fields(line)
			if words[2] == "./testdata/make" {
				continue
			}
			if len(words) < 4 || strings.Join(words[:3], " ") != "go run ./bench" {
				t.Errorf("%s: the example %q", cmd.Name(), line)
				continue
			}
			found, rest, err := new(program).root().Find(words[3:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err != nil || found.Name() != cmd.Name() {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
	if want := []string{"all", "bayes", "certificate", "choose", "corrections", "items", "kernels", "labels", "mixtures", "nights", "paper", "peers", "plan", "ranks", "read", "refine", "scale", "serve", "similar", "soak", "steer", "topics", "transform", "truth"}; !slices.Equal(names, want) {
		t.Errorf("commands %q", names)
	}
}

// The commands in documents and results are commands of this program, with flags that it knows.
func TestDocumentedCommands(t *testing.T) {
	pattern := regexp.MustCompile("(?m)(?:^|`)go run \\./bench ([a-z][^`\n]*)")
	seen := 0
	for _, glob := range []string{"../README.md", "../docs/*.md", "../docs/*/*.md", "results/*.md", "results/*/*.md", "results/*/*/*.md", "peers/*.md"} {
		paths, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			for _, match := range pattern.FindAllStringSubmatch(benchtest.Text(t, path), -1) {
				line := strings.ReplaceAll(match[1], "…", "1")
				line, _, _ = strings.Cut(line, "|")
				words := strings.Fields(strings.NewReplacer("--corpora 1", "--corpora a", "--methods 1", "--methods nmf").Replace(line))
				cmd, rest, err := new(program).root().Find(words)
				if err == nil {
					err = cmd.ParseFlags(rest)
				}
				if err != nil || cmd.Name() != words[0] {
					t.Errorf("%s: %q: %v", path, match[0], err)
				}
				seen++
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d commands: the search is broken", seen)
	}
}

// The other program links no charts: they are for measuring alone.
func TestAnchorageLinksNoCharts(t *testing.T) {
	command := exec.Command("go", "list", "-deps", "../cmd/anchorage")
	deps, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(deps)) {
		if strings.HasPrefix(dep, "gonum.org/v1/plot") || strings.HasPrefix(dep, "anchorage/bench") {
			t.Errorf("cmd/anchorage links %s", dep)
		}
	}
	if !bytes.Contains(deps, []byte("anchorage/model\n")) {
		t.Error("the list is broken")
	}
}

// Numbers of topics with colons between them.
func TestParseReduced(t *testing.T) {
	got, err := parseReduced(map[string]string{"wiki": "5:10", "AP+AW": "25"})
	if err != nil || fmt.Sprint(got) != "map[AP+AW:[25] wiki:[5 10]]" {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []string{"", "5:", "many", "5,10", "1.5"} {
		if got, err := parseReduced(map[string]string{"wiki": list}); err == nil || !strings.Contains(err.Error(), "is not a number of topics") {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

// What the flags of truth stand for.
func TestTruthFlags(t *testing.T) {
	parse := func(line string) (*truth.Grid, error) {
		f := new(truthFlags)
		cmd := new(cobra.Command)
		f.add(cmd.Flags())
		if err := cmd.ParseFlags(strings.Fields(line)); err != nil {
			return nil, err
		}
		return &f.grid, f.complete(cmd.Flags())
	}
	g, err := parse("--length fixed --prior logistic-normal --blocks 2 --correlation 0.5 --anchors 3 --items 600 --seed 4")
	if err != nil || g.Model.Length != synth.Fixed || g.Model.Logistic == nil || g.Model.Logistic.Blocks != 2 || g.Model.Anchors != 3 ||
		g.Flags != "--length fixed --anchors 3 --prior logistic-normal --blocks 2 --correlation 0.5" {
		t.Errorf("%+v, %v", g, err)
	}
	if g, err = parse("--offset 10"); err != nil || g.Model.Logistic != nil || g.Model.Length != synth.Geometric || g.Seeds != 3 || g.Flags != "" || g.Methods[0] != truth.Floor {
		t.Errorf("%+v, %v", g, err)
	}
	for line, want := range map[string]string{
		"--documents 1,5": "--documents", "--documents 9,5": "--documents", "--tolerance 0": "--tolerance", "--enn-iterations -1": "--enn-iterations",
		"--seeds 0": "--seeds", "--methods x": `no method "x"`, "--length tall": "--length", "--prior x": "--prior", "--items 5": "need at least", "-k 1": "",
		"--again often": "--again", "--limit -1s": "--limit",
	} {
		if _, err := parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// The lines of all parts name methods that there are.
func TestRecoveryMethods(t *testing.T) {
	for _, name := range strings.Split(recovery+","+largest, ",") {
		if !slices.Contains(truth.Methods(), name) {
			t.Errorf("there is no method %q", name)
		}
	}
}
