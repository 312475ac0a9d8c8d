package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
	"anchorage/internal/synth"
)

// asProgram is the variable under which the binary of this test is bench itself: parts start themselves.
const asProgram = "BENCH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" && len(os.Args) > 1 && (os.Args[1] == run.ChildCommand ||
		os.Args[1] == systems.ChildCommand) {
		main()
	}
	os.Exit(m.Run())
}

// call runs a command line in this process.
func call(ctx context.Context, line string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(ctx, strings.Fields(line), nil, &out, &err)
	return code, out.String(), err.String()
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
	if err := corpus.WriteShards(t.Context(), wiki, 2); err != nil {
		t.Fatal(err)
	}
	return folder
}

// quick are flags of a run of each part that takes seconds, with DATA for a folder with the drawn corpus data/wiki. Parts
// without any need a program with MPI, or one with faults.
var quick = map[string]string{
	"bayes":       "--data DATA/data --corpora wiki --topics 3,6 --batch-sizes 100 --items 100 --max-df-ratio 1",
	"certificate": "--corpus drawn,wiki --family plain,many --corpora 1 --topics 4 --data DATA/data",
	"choose":      "--topics 3 --items 200 --multiple 10 --strength 1 --seed 1 --to 10 --data DATA/data --corpus drawn,wiki --steps 2 --from 2",
	"items":       "--items 300 --documents 900 --topics 3 --baskets 50 --learning 50",
	"labels":      "--tree 2,2 --concentration 0.1,0.4 --items 200 --documents 600",
	"nights":      "--data DATA/data --corpus wiki --topics 3 --nights 1 --compare 1",
	"onepass":     "--corpus wiki,drawn --topics 4 --items 300 --omega signs,normal-unscaled --data DATA/data",
	"paper":       "--data DATA --corpora wiki --topics 3 --sizes 60,120 --base 60 --seeds 1 --pipelines ENN+LAW,LR-JSMF,iPALM+LAW",
	"plan":        "--data DATA/data --corpora wiki:3",
	"recovery":    "--items 200 --topics 3 --documents 300,600 --method floor,anchorage,enn-exact",
	"scale":       "--items 300,600 --documents 600,1200 --document-items 300 --topics 5",
	"topics":      "--data DATA/data --corpus wiki,drawn --vocabulary 150,250 --topics 4 --system anchorage,anchorage-published",
}

// The small form of every part makes results without failures, and a second time nothing.
func TestQuick(t *testing.T) {
	t.Setenv(asProgram, "1") // for the runs in separate processes
	data := drawnData(t)
	for _, part := range parts {
		if quick[part.Name] == "" { // it needs a program with MPI, or one with faults
			continue
		}
		t.Run(part.Name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), part.Name)
			line := part.Name + " -o " + folder + " " + strings.ReplaceAll(quick[part.Name], "DATA", data)
			code, _, stderr := call(t.Context(), line)
			if code != exitDone || !strings.Contains(stderr, "run made") || strings.Contains(stderr, "run failed") {
				t.Fatalf("%s: code %d\n%s", line, code, stderr)
			}
			results(t, folder)
			before := text(t, folder, "runs.csv")
			if code, _, stderr := call(t.Context(), line); code != exitDone || stderr != "" || text(t, folder,
				"runs.csv") != before {
				t.Errorf("a second time: code %d\n%s", code, stderr)
			}
		})
	}
}

// Command lines that cannot be run are told from runs that fail, and leave nothing.
func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"scale":                              "-o must name a folder",
		"scale -o OUT/no/such":               "-o OUT/no/such",
		"scale -o OUT/x stray":               "unknown command \"stray\"",
		"scale -o OUT/x --sizes 3":           "unknown flag: --sizes",
		"scale -o OUT/x --items many":        "--items has \"many\", which is not a whole number",
		"scale -o OUT/x --items 3":           "need at least",
		"scale -o OUT/x --again some":        "--again is \"some\"",
		"topics -o OUT/x --system none":      "--system has \"none\"",
		"recovery -o OUT/x --length long":    "--length is \"long\"",
		"all --data DATA":                    "-o must name a folder",
		"certificate -o OUT/x --workers -1":  "--workers is -1",
		"certificate -o OUT/x --log-level x": "--log-level is \"x\"",
	} {
		out := t.TempDir()
		code, _, stderr := call(t.Context(), strings.Replace(line, "OUT", out, 1))
		if code != exitUsage || !strings.Contains(stderr, strings.Replace(want, "OUT", out, 1)) {
			t.Errorf("%s: code %d\n%s", line, code, stderr)
		}
		only(t, out)
	}
}

// The command all prints a line of a shell for every line of the set, and makes nothing.
func TestPrintAll(t *testing.T) {
	out := t.TempDir()
	code, stdout, stderr := call(t.Context(), "all --data /data -o "+filepath.Join(out, "results"))
	lines := 0
	for _, of := range all {
		lines += len(of.lines)
	}
	if code != exitDone || strings.Count(stdout, "\n") != lines || !strings.Contains(stdout, "go run ./bench plan --data "+
		"/data/data -o "+filepath.Join(out, "results", "plan")+"\n") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	only(t, out)
}

// A run that is interrupted says what continues it.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := call(ctx, "certificate --corpora 1 -o "+filepath.Join(t.TempDir(), "x"))
	if code != exitInterrupted || !strings.Contains(stderr, "bench: interrupted: the same command continues") {
		t.Errorf("code %d\n%s", code, stderr)
	}
}
