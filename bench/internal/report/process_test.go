package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asChild makes this test binary a process that does what its first argument says.
const asChild = "ANCHORAGE_REPORT_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
		fmt.Fprintln(os.Stderr, "noise\nlast words")
	case "fail":
		fmt.Fprint(os.Stderr, "noise\nno luck today\n\n")
		os.Exit(7)
	case "mute":
		os.Exit(1)
	case "wait": // until it is asked to end
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		fmt.Println("ready")
		<-interrupted
		fmt.Fprintln(os.Stderr, "cleaned up")
		os.Exit(3)
	case "work":
		for begin := CPUTime(); CPUTime()-begin < 50*time.Millisecond; {
		}
	}
}

// child returns the command of a child process.
func child(t *testing.T, what string) []string {
	t.Helper()
	t.Setenv(asChild, "1")
	command, err := OwnCommand(nil, what)
	if err != nil {
		t.Fatal(err)
	}
	return command
}

func TestRunProcess(t *testing.T) {
	var stdout, stderr bytes.Buffer
	p, err := RunProcess(t.Context(), child(t, "echo"), strings.NewReader("hello"), &stdout, &stderr)
	if err != nil || p.Failure != "" || p.Code != 0 || p.Said != "last words" || stdout.String() != "hello" || stderr.String() != "noise\nlast words\n" {
		t.Errorf("%+v, %v, %q, %q", p, err, stdout.String(), stderr.String())
	}
	for what, want := range map[string]Process{
		"fail": {Code: 7, Said: "no luck today", Failure: "the process ended with exit status 7: no luck today"},
		"mute": {Code: 1, Failure: "the process ended with exit status 1"},
	} {
		p, err := RunProcess(t.Context(), child(t, what), nil, nil, nil)
		if err != nil || p.Code != want.Code || p.Said != want.Said || p.Failure != want.Failure {
			t.Errorf("%s: %+v, %v, want %+v", what, p, err, want)
		}
	}
	if _, err := RunProcess(t.Context(), []string{filepath.Join(t.TempDir(), "no-such-program")}, nil, nil, nil); err == nil {
		t.Error("a program that is not there can be run")
	}
}

// A process that takes processor time is charged with it.
func TestRunProcessTime(t *testing.T) {
	if CPUTime() == 0 {
		return // the system does not tell
	}
	p, err := RunProcess(t.Context(), child(t, "work"), nil, nil, nil)
	if err != nil || p.CPU < 50*time.Millisecond || p.Wall <= 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// readyWriter calls a function when something is written.
type readyWriter func()

func (w readyWriter) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

// A process whose context is over is asked to end, and can clean up.
func TestRunProcessInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, err := RunProcess(ctx, child(t, "wait"), nil, readyWriter(cancel), nil)
	if err != nil || p.Said != "cleaned up" || p.Code != 3 || p.Failure == "" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestOwnCommand(t *testing.T) {
	if command, err := OwnCommand([]string{"other", "x"}, "y"); err != nil || strings.Join(command, " ") != "other x" {
		t.Errorf("%v, %v", command, err)
	}
}

func TestShellWords(t *testing.T) {
	for want, words := range map[string][]string{
		"":                           nil,
		"--min-df 1 --passes=4":      {"--min-df", "1", "--passes=4"},
		`'' 'a b' 'it'\''s' '$HOME'`: {"", "a b", "it's", "$HOME"},
	} {
		if got := ShellWords(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}
