package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/durable"
)

// A command line that cannot be run ends with code 10, says why and where help is, and writes nothing.
func TestUsage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a line that is taken although it is wrong ends at once
	for line, want := range map[string]string{
		"paper -o OUT/results":                                       "--data must name the folder of the data",
		"paper -o OUT/results --data x --figures 7":                  `there is no figure "7"`,
		"paper -o OUT/results --data x --reduced news=5":             `"news" is neither a corpus nor a pipeline`,
		"topics -o OUT/results":                                      "--data must name the folder of the corpora",
		"topics -o OUT/results --data x --methods guess":             "guess",
		"peers -o OUT/results":                                       "--data must name the folder of the corpora",
		"peers -o OUT/results --corpora drawn --peers guess":         `--peers: there is no system "guess": there are anchorage, `,
		"peers -o OUT/results --corpora drawn --memory-limit lots":   `--memory-limit is "lots": it must be a size`,
		"peers -o OUT/results --corpora drawn --repeats 0":           "--repeats must be positive",
		"refine -o OUT/results":                                      "--data must name the folder of the corpora",
		"refine -o OUT/results --data x --hold 1,-1":                 "--hold has -1: it must be positive",
		"truth -o OUT/results --prior flat":                          `--prior is "flat": it must be dirichlet or logistic-normal`,
		"truth -o OUT/results --documents 1000,10":                   "--documents must be increasing numbers from 2",
		"bayes -o OUT/results shards --topics 1":                     "must be 2 or more",
		"bayes -o OUT/results shards --t0 0":                         "t₀ must be positive",
		"scale -o OUT/results --items 0":                             "items",
		"scale -o OUT/results --min-df 2":                            "unknown flag: --min-df",
		"scale -o OUT/results 500":                                   `"500" is not a flag: flags of the fits follow --`,
		"nights shards -o OUT/results --nights 0":                    "--nights must be at least 1",
		"nights shards -o OUT/results -k 1":                          "-k must be at least 2",
		"ranks shards -o OUT/results":                                "--program is missing",
		"ranks shards -o OUT/results --program x --ranks 0":          "--ranks has 0",
		"soak -o OUT/results --kill -1":                              "--kill is -1: it cannot be negative",
		"all -o OUT/results --log-level loud":                        `--log-level is "loud"`,
		"truth -o OUT/results --workers -1":                          "--workers is -1: it cannot be negative",
		"guess -o OUT/results":                                       "unknown",
		"paper -o OUT/results --data x --topics 5,many":              `invalid argument "5,many"`,
		"truth -o OUT/results --length tall --prior logistic-normal": `--length is "tall"`,
		"topics -o OUT/results --data x --min-df -1":                 "--min-df, --max-items and --limit cannot be negative",
		"bayes -o OUT/results shards --models lda,pca":               `--models has "pca": there are bnmf, cnmf, lda`,
	} {
		out := t.TempDir()
		code, stdout, stderr := call(ctx, strings.ReplaceAll(line, "OUT", out))
		if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "bench: ") || !strings.Contains(stderr, strings.ReplaceAll(want, "OUT", out)) ||
			!strings.Contains(stderr, "\nSee bench") || !strings.HasSuffix(stderr, " --help.\n") {
			t.Errorf("%s: code %d, %s%s, want %q", line, code, stdout, stderr, want)
		}
		benchtest.Only(t, out)
	}
}

// Results that are there end a command that makes new ones with code 14, and stay as they are.
func TestResultsExist(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"paper --data x"} {
		code, stdout, stderr := call(t.Context(), line+" -o "+folder)
		if code != exitExists || stdout != "" || !strings.Contains(stderr, "bench: "+folder) {
			t.Errorf("%s: code %d, %s%s", line, code, stdout, stderr)
		}
	}
	benchtest.Only(t, folder, "README.md")
	if got := benchtest.Text(t, folder, "README.md"); got != "mine" {
		t.Errorf("README.md says %q", got)
	}
}

// Input that is not there ends with code 11, and leaves nothing.
func TestNoInput(t *testing.T) {
	for _, line := range []string{"paper -o OUT/results --data OUT/nothing --corpora wiki", "bayes -o OUT/results OUT/nothing"} {
		out := t.TempDir()
		code, stdout, stderr := call(t.Context(), strings.ReplaceAll(line, "OUT", out))
		if code != exitInput || stdout != "" || !strings.Contains(stderr, "nothing") {
			t.Errorf("%s: code %d, %s%s", line, code, stdout, stderr)
		}
		benchtest.Only(t, out)
	}
}

// What ends a command counts more than what it was doing: an interruption first, then the machine, then the input.
func TestExitCodeOrder(t *testing.T) {
	for _, test := range []struct {
		errs []error
		want int
	}{
		{[]error{&corpus.DataError{}}, exitInput}, {[]error{syscall.ENOMEM}, exitResources}, {[]error{syscall.EDQUOT}, exitResources}, {[]error{syscall.ENFILE}, exitResources},
		{[]error{&corpus.DataError{}, syscall.ENOSPC}, exitResources}, {[]error{syscall.ENOSPC, context.Canceled}, exitInterrupted},
		{[]error{&usageError{errors.New("flag")}, durable.ErrExists}, exitExists}, {[]error{context.DeadlineExceeded}, exitFailed},
	} {
		for range 2 {
			if got := exitCode(&runError{fmt.Errorf("while: %w", errors.Join(test.errs...))}); got != test.want {
				t.Errorf("%v: code %d, want %d", test.errs, got, test.want)
			}
			slices.Reverse(test.errs)
		}
	}
}

// An error reads the same in all its wrappings.
func TestErrorTexts(t *testing.T) {
	inner := errors.New("broken")
	for _, err := range []error{&usageError{inner}, &runError{inner}, &keptError{"runs", inner}} {
		if err.Error() != "broken" || !errors.Is(err, inner) {
			t.Errorf("%T: %v", err, err)
		}
	}
}

// Without --data the parts that need it are left out; the others are made, and those that are there are left.
func TestAllWithoutData(t *testing.T) {
	output := t.TempDir()
	s := &set{output: output, parts: parts, account: newAccount()}
	var without []string
	failures := 0
	for _, part := range parts {
		command := strings.Join(part.lines, "; ")
		if strings.Contains(command, "DATA") {
			without = append(without, part.folder)
			continue
		}
		e := entry{part: part.folder, state: stateDone, commit: report.Commit(), command: command}
		path := filepath.Join(output, filepath.FromSlash(part.folder), "README.md")
		if series(command) {
			// A file where its folder would be makes the part fail at once.
			path, e.state = s.making(part.folder), stateBegun
			failures++
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.put(e); err != nil {
			t.Fatal(err)
		}
	}
	if len(without) == 0 {
		t.Fatal("no part needs data: the test is broken")
	}
	var log bytes.Buffer
	p := &program{stdout: io.Discard, stderr: io.Discard, logLevel: "error", log: slog.New(slog.NewTextHandler(&log, nil))}
	err := p.makeSet(t.Context(), &set{output: output, parts: parts})
	if err == nil || !strings.HasPrefix(err.Error(), "scale: the part ended with code") || strings.Count(err.Error(), "the part ended") != failures {
		t.Errorf("%v", err)
	}
	for _, folder := range without {
		if !strings.Contains(log.String(), "part left out: it needs --data\" part="+folder+"\n") {
			t.Errorf("%s is not left out:\n%s", folder, log.String())
		}
		if _, err := os.Stat(filepath.Join(output, filepath.FromSlash(folder))); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made: %v", folder, err)
		}
	}
	if there := strings.Count(log.String(), "part is there"); there != len(parts)-len(without)-failures {
		t.Errorf("%d parts are there:\n%s", there, log.String())
	}
	// An interruption ends the set, and says nothing else.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.makeSet(ctx, &set{output: output, parts: parts}); !errors.Is(err, context.Canceled) || exitCode(err) != exitInterrupted {
		t.Errorf("%v", err)
	}
}

// Every flag of every command says what it is for, and the program alone lists its commands but for the hidden ones.
func TestFlagTexts(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.UsageString()) {
			fields := strings.Fields(line)
			if len(fields) > 0 && strings.HasPrefix(fields[0], "-") && !strings.Contains(line, "   ") {
				t.Errorf("%s: the flag %q has no text", cmd.Name(), strings.TrimSpace(line))
			}
		}
	})
	var out bytes.Buffer
	if code := execute(t.Context(), nil, nil, &out, io.Discard); code != exitDone || !strings.Contains(out.String(), "13 interrupted") {
		t.Errorf("without a command: code %d, %s", code, out.String())
	}
	everyCommand(func(cmd *cobra.Command) {
		if !strings.Contains(out.String(), "\n  "+cmd.Name()+" ") || !strings.Contains(out.String(), cmd.Short) {
			t.Errorf("%s is not in the list:\n%s", cmd.Name(), out.String())
		}
	})
	if strings.Contains(out.String(), "Make one run for another command") {
		t.Error("hidden commands are in the list")
	}
}
