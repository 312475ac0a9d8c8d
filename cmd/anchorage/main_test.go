package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"anchorage/internal/long"
	"anchorage/internal/synth"
	"anchorage/shard/tablefile"
)

func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(killAt)); err == nil {
		killedAt(at)
	}
	testscript.Main(m, map[string]func(){"anchorage": main, "library": readmeCode, "measured": measured})
}

// TestScripts runs the scripts of testdata against the program.
func TestScripts(t *testing.T) {
	var folders [4]string
	for i, name := range []string{"testdata", "../../shard/testdata/writers", "../../testdata/warehouse",
		"../../testdata/wiki"} {
		var err error
		if folders[i],
			err = filepath.Abs(filepath.FromSlash(name)); err != nil { // before a script changes the folder of the process
			t.Fatal(err)
		}
	}
	fits.folders = map[string]string{"": t.TempDir()}
	ownsProcess = false // which runHere shares with other scripts
	t.Cleanup(func() { ownsProcess = true })
	testscript.Run(t, testscript.Params{
		Dir: folders[0],
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"synth":      scriptSynth,
			"run":        scriptRun,
			"fitted":     scriptFitted,
			"code":       scriptCode,
			"truncate":   scriptTruncate,
			"same":       scriptSame,
			"corpus":     scriptCorpus,
			"same-lines": scriptSameLines,
			"baskets":    scriptBaskets,
			"under":      scriptUnder,
		},
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return long.Tier(), nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("WRITERS", folders[1])
			env.Setenv("WAREHOUSE", folders[2])
			env.Setenv("WIKI", folders[3])
			return nil
		},
	})
}

// scriptSynth: synth DIR SHARDS SEED writes a corpus of known topics as Parquet shards.
func scriptSynth(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: synth DIR SHARDS SEED")
	}
	shards, err := strconv.Atoi(args[1])
	ts.Check(err)
	seed, err := strconv.ParseUint(args[2], 10, 64)
	ts.Check(err)
	ts.Check(writeSynthetic(ts.MkAbs(args[0]), shards, seed))
}

// runsHere reports whether "code" runs a command in the process of the tests, which is quicker. A separate process
// starts for commands that read standard input, that limit their memory or receive a signal.
func runsHere(code string, args []string) bool {
	return args[0] == "anchorage" && slices.Contains([]string{"0", "3", "10", "11", "14", "16", "99"}, code) &&
		!slices.Contains(args, "-") && !slices.Contains(args, "--memory-limit")
}

// scriptRun: run anchorage ARGUMENT… runs a command in the process of the tests, where "exec" starts a process.
func scriptRun(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || args[0] != "anchorage" {
		ts.Fatalf("usage: run anchorage ARGUMENT...")
	}
	if code := runHere(ts, args[1:]); neg != (code != exitDone) {
		ts.Fatalf("exit code %d", code)
	}
}

// fits are the models that scripts share, by the arguments of fitted.
var fits struct {
	sync.Mutex
	folders map[string]string
}

// scriptFitted: fitted N ARGUMENT… writes the corpus of "synth shards N 1" and, to the folder "model", what "anchorage
// fit shards ARGUMENT…" makes of it. The first script makes it; the others get a copy.
func scriptFitted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fitted N ARGUMENT...")
	}
	shards, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(writeSynthetic(ts.MkAbs("shards"), shards, 1))
	fits.Lock()
	defer fits.Unlock()
	name := strings.Join(args, " ")
	if kept, known := fits.folders[name]; known {
		ts.Check(os.CopyFS(ts.MkAbs("model"), os.DirFS(kept)))
		return
	}
	if code := runHere(ts, append([]string{"fit", "shards", "-o", "model", "--log-level", "error"},
		args[1:]...)); code != exitDone {
		ts.Fatalf("exit code %d", code)
	}
	kept := filepath.Join(fits.folders[""], strconv.Itoa(len(fits.folders)))
	ts.Check(os.CopyFS(kept, os.DirFS(ts.MkAbs("model"))))
	fits.folders[name] = kept
}

// scriptCode: code N COMMAND… runs a command and checks the exit code.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	code := 0
	if runsHere(args[0], args[1:]) {
		code = runHere(ts, args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
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

var (
	// variables are those of a script that commands see which run in the process of the tests.
	variables = []string{"COLUMNS", "TMPDIR", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
		"SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
		"SLURM_NTASKS", "SLURM_ARRAY_TASK_ID", "AWS_EC2_METADATA_DISABLED", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"}
	// here is held by the script whose folder and variables are those of the process.
	here sync.Mutex
)

// runHere runs a command line in the process of the tests, in the script's folder and with its variables, and returns
// the exit code.
func runHere(ts *testscript.TestScript, args []string) int {
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(before)
	for _, name := range variables {
		if value := ts.Getenv(name); value != "" {
			defer restoreVariable(name)()
			ts.Check(os.Setenv(name, value))
		}
	}
	return run(context.Background(), args, strings.NewReader(""), ts.Stdout(), ts.Stderr())
}

// restoreVariable returns a function that gives a variable of the environment the value that it has now.
func restoreVariable(name string) func() {
	if value, set := os.LookupEnv(name); set {
		return func() { os.Setenv(name, value) }
	}
	return func() { os.Unsetenv(name) }
}

// scriptTruncate: truncate FILE BYTES cuts a file.
func scriptTruncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE BYTES")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// scriptSame: same DIR DIR FILE… checks that files of two directories have the same bytes.
func scriptSame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: same DIR DIR FILE...")
	}
	for _, name := range args[2:] {
		a, b := ts.ReadFile(filepath.Join(args[0], name)), ts.ReadFile(filepath.Join(args[1], name))
		if a != b {
			ts.Fatalf("%s differs between %s and %s", name, args[0], args[1])
		}
	}
}

// scriptCorpus: corpus FORMAT FILE writes the corpus that synth draws with seed 1, in a text format. "words" writes the
// names of items, for formats in which items are numbers.
func scriptCorpus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: corpus FORMAT FILE")
	}
	docs, _ := synthetic(1).Draw()
	var out strings.Builder
	fmt.Fprint(&out, map[string]string{"csv": "order_id,item,qty\n", "tsv": "n\tsku\tdocument\tx\n",
		"mtx": fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d 400 %d\n", docs.Documents(),
			len(docs.Items))}[args[0]])
	for d := range docs.Documents() {
		indices, counts := docs.Row(d)
		fmt.Fprint(&out, map[string]string{"libsvm": "1", "ldac": fmt.Sprint(len(indices)),
			"jsonl": `{"items":{`}[args[0]])
		for i, index := range indices {
			item, count := fmt.Sprintf("item_%03d", index), counts[i]
			switch args[0] {
			case "csv":
				fmt.Fprintf(&out, "%d,%q,%d\n", d, item, count)
			case "tsv":
				fmt.Fprintf(&out, "%d\t%s\td%d\t\n", count, item, d)
			case "mtx":
				fmt.Fprintln(&out, d+1, index+1, count)
			case "libsvm":
				fmt.Fprintf(&out, " %d:%d", index+1, count)
			case "ldac":
				fmt.Fprintf(&out, " %d:%d", index, count)
			case "jsonl":
				fmt.Fprintf(&out, "%s%q:%d", strings.Repeat(",", min(i, 1)), item, count)
			case "text", "baskets":
				out.WriteString(strings.Repeat(item+" ", int(count)))
			}
		}
		fmt.Fprint(&out, map[string]string{"libsvm": "\n", "ldac": "\n", "jsonl": "}}\n", "text": ".\n",
			"baskets": "\n"}[args[0]])
	}
	if args[0] == "words" {
		for i := range 400 {
			fmt.Fprintf(&out, "item_%03d\n", i)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
}

// synthetic is a model of 8 topics over 400 items, of which 1,500 documents are drawn.
func synthetic(seed uint64) synth.Model {
	return synth.Model{Items: 400, Topics: 8, Documents: 1500, Tokens: 40, Concentration: 0.1, Seed: seed}
}

// writeSynthetic writes a corpus of 8 topics over 400 items in 1,500 documents.
func writeSynthetic(dir string, shards int, seed uint64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	docs, _ := synthetic(seed).Draw()
	for s := range shards {
		file, err := os.Create(filepath.Join(dir, fmt.Sprintf("part-%03d.parquet", s)))
		if err != nil {
			return err
		}
		writer, err := tablefile.NewDocumentWriter(file)
		if err != nil {
			return err
		}
		for d := s * docs.Documents() / shards; d < (s+1)*docs.Documents()/shards; d++ {
			indices, counts := docs.Row(d)
			items := make([]string, len(indices))
			for i, index := range indices {
				items[i] = fmt.Sprintf("item_%03d", index)
			}
			if err := writer.Write(fmt.Sprintf("doc-%d-%d", seed, d), items, counts); err != nil {
				return err
			}
		}
		if err := errors.Join(writer.Close(), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// contents returns the names and digests of the files of a directory, without run.json.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "run.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			fmt.Fprintf(&out, "%s %x\n", entry.Name(), sha256.Sum256(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSameModelForAnyWorkers fits the same corpus under every number of workers and processors.
func TestSameModelForAnyWorkers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := writeSynthetic("shards", 5, 1); err != nil {
		t.Fatal(err)
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, passes := range []string{"auto", "1"} {
		want := ""
		for _, workers := range long.Grid(2, "3", "1", "2", "7") {
			for _, processors := range long.Grid(2, 5, 1, 2) {
				runtime.GOMAXPROCS(processors)
				model := fmt.Sprintf("model-%s-%s-%d", passes, workers, processors)
				var stdout, stderr bytes.Buffer
				code := run(context.Background(), []string{"fit", "shards", "-k", "6", "-o", model, "--passes", passes, "--workers",
					workers}, nil, &stdout, &stderr)
				if code != exitDone {
					t.Fatalf("exit code %d: %s", code, stderr.String())
				}
				got := contents(t, model)
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("passes %s, %s workers, %d processors:\n%swant\n%s", passes, workers, processors, got, want)
				}
			}
		}
	}
}

// TestInterrupted cancels a run at its start and checks that it leaves nothing behind.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := writeSynthetic("shards", 2, 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"fit", "shards", "-k", "6", "-o", "model"}, nil, &stdout,
		&stderr); code != exitInterrupted {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 {
		t.Fatalf("left behind: %v, %v", entries, err)
	}
}

// execute runs a command line in this process, wants an exit code, and returns what was printed.
func execute(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	if got := run(t.Context(), args, nil, &out, &err); got != code {
		t.Fatalf("%q: exit code %d, want %d: %s", args, got, code, err.String())
	}
	return out.String(), err.String()
}

// inCorpus makes a new folder the working directory, with synthetic shards in the folder "shards".
func inCorpus(t *testing.T, shards int) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := writeSynthetic("shards", shards, 1); err != nil {
		t.Fatal(err)
	}
}

// unsetenv removes a variable from the environment until the test ends.
func unsetenv(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "") // restores the variable at the end
	if err := os.Unsetenv(name); err != nil {
		t.Fatal(err)
	}
}

// scriptSameLines: same-lines FILE FILE checks that each line of a table of topics in one file is in the other. Lines
// without a share, which say where a model is and what a run took, may differ.
func scriptSameLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same-lines FILE FILE")
	}
	rows := func(name string) (lines []string) {
		for line := range strings.Lines(ts.ReadFile(name)) {
			if strings.Contains(line, "%  ") || strings.HasPrefix(line, "topic") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	a, b := rows(args[0]), rows(args[1])
	if len(a) < 2 || !slices.Equal(a, b) {
		ts.Fatalf("the tables differ:\n%s\n%s", strings.Join(a, ""), strings.Join(b, ""))
	}
}
