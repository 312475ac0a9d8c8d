// This file builds the program and runs it.

package soak

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
	"time"

	"anchorage/bench/internal/systems"
	"anchorage/internal/random"
	"anchorage/internal/synth"
)

// Workshop is a folder with the program, a corpus in four shards, and the references of tasks.
type Workshop struct {
	folder     string
	program    string
	seed       uint64
	draws      uint64
	episodes   int
	references map[string]*reference
	deadline   time.Time // of the run; zero for none
}

// shards is the number of shards of the corpus.
const shards = 4

// hang is after how long a process counts as hanging.
const hang = 3 * time.Minute

// NewWorkshop draws a corpus in a folder.
func NewWorkshop(ctx context.Context, folder string, documents int, seed uint64) (*Workshop, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	w := &Workshop{folder: folder, program: filepath.Join(folder, "anchorage"), seed: seed,
		references: make(map[string]*reference)}
	place := filepath.Join(folder, "shards")
	if err := os.Mkdir(place, 0o777); err != nil {
		return nil, err
	}
	corpus := synth.Model{Items: 300, Topics: 5, Documents: documents, Tokens: 40, Concentration: 0.1, Seed: 1}.Plant()
	return w, corpus.WriteShards(ctx, place, shards)
}

// uniform draws a number from [0, 1).
func (w *Workshop) uniform() float64 {
	w.draws++
	return random.Uniform(w.seed, random.SoakMoment, w.draws, 0)
}

// below draws a number from 0 to n-1.
func (w *Workshop) below(n int) int { return int(w.uniform() * float64(n)) }

// order says how a process is treated.
type order struct {
	fault  string         // for ANCHORAGE_FAULTS
	after  time.Duration  // when it gets the signal; 0 for never
	signal syscall.Signal // SIGKILL, SIGTERM
	log    bool           // note the operations on files
	record bool           // record them
	inject string         // what strace makes fail
}

// ended is how a process ended.
type ended struct {
	line       string
	code       int // -1 if a signal ended it
	signal     syscall.Signal
	stderr     string
	time       time.Duration
	late       time.Duration // from the signal to the end; 0 if it ended before
	operations []string
	peak       int64 // memory in bytes, at least that of this process when it began
}

// String says how the process ended, for a report of a problem.
func (e *ended) String() string {
	text := strings.TrimSpace(e.stderr)
	if len(text) > 400 {
		text = "…" + text[len(text)-400:]
	}
	return fmt.Sprintf("%s: code %d: %s", e.line, e.code, strings.ReplaceAll(text, "\n", " / "))
}

// running is a process that runs.
type running struct {
	cmd    *exec.Cmd
	ended  ended
	stderr bytes.Buffer
	begun  time.Time
	order  order
	sent   chan time.Time // when the signal was sent
	timers []*time.Timer
}

// build builds the program, once. It must be called somewhere in the module.
func (w *Workshop) build(ctx context.Context) error {
	if _, err := os.Stat(w.program); err == nil {
		return nil
	}
	said, err := exec.CommandContext(ctx, "go", "build", "-tags", "nocloud,faults", "-o", w.program,
		"anchorage/cmd/anchorage").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building the program: %w: %s", err, said)
	}
	return nil
}

// start starts a line of the program in a folder, which has its own folder for temporary files, tmp.
func (w *Workshop) start(ctx context.Context, folder string, o order, line string) (*running, error) {
	if err := w.build(ctx); err != nil {
		return nil, err
	}
	p := &running{order: o, sent: make(chan time.Time, 1)}
	p.cmd = exec.CommandContext(ctx, w.program, append(strings.Fields(line), "--quiet")...)
	if o.inject != "" {
		call, _, _ := strings.Cut(o.inject, ":")
		p.cmd = exec.CommandContext(ctx, "strace", append([]string{"-f", "--seccomp-bpf", "-o", w.note("calls"), "-e",
			"trace=" + call, "-e", "inject=" + o.inject}, p.cmd.Args...)...)
	}
	p.cmd.Dir, p.cmd.Stderr = folder, &p.stderr
	p.cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(folder, "tmp"), "ANCHORAGE_FAULTS="+o.fault)
	if o.log {
		p.cmd.Env = append(p.cmd.Env, "ANCHORAGE_FAULTS_LOG="+w.note("operations"))
	}
	if o.record {
		p.cmd.Env = append(p.cmd.Env, "ANCHORAGE_FAULTS_RECORD="+w.note("record"))
	}
	p.ended.line = line
	if cause := o.fault + o.inject; cause != "" {
		p.ended.line = cause + ": " + line
	}
	p.begun = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if o.after > 0 {
		p.timers = append(p.timers, time.AfterFunc(o.after, func() {
			p.sent <- time.Now()
			_ = p.cmd.Process.Signal(o.signal) // it may have ended
		}))
	}
	p.timers = append(p.timers, time.AfterFunc(hang, func() { _ = p.cmd.Process.Signal(syscall.SIGQUIT) }))
	return p, nil
}

// wait waits for the end of a process. The error says that it could not be run; whatever it did is in the result.
func (w *Workshop) wait(ctx context.Context, p *running) (*ended, error) {
	err := p.cmd.Wait()
	now := time.Now()
	for _, timer := range p.timers {
		timer.Stop()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, err
	}
	e := &p.ended
	e.time, e.stderr, e.code = now.Sub(p.begun), p.stderr.String(), p.cmd.ProcessState.ExitCode()
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	e.peak = systems.PeakMemory(p.cmd.ProcessState)
	select {
	case sent := <-p.sent:
		e.late = now.Sub(sent)
	default:
	}
	if p.order.log {
		text, err := os.ReadFile(w.note("operations"))
		if err != nil {
			return nil, err
		}
		e.operations = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	return e, nil
}

// run runs a line of the program in a folder to its end.
func (w *Workshop) run(ctx context.Context, folder string, o order, line string) (*ended, error) {
	p, err := w.start(ctx, folder, o, line)
	if err != nil {
		return nil, err
	}
	return w.wait(ctx, p)
}

// note returns the path of a file that a run writes about itself.
func (w *Workshop) note(what string) string { return filepath.Join(w.folder, what) }

// newFolder makes the folder of an episode, with one for temporary files and one for working files.
func (w *Workshop) newFolder() (string, error) {
	w.episodes++
	folder := filepath.Join(w.folder, "episode-"+strconv.Itoa(w.episodes))
	return folder, makeFolders(folder, "tmp", "work")
}

// makeFolders makes a folder and folders in it.
func makeFolders(folder string, within ...string) error {
	err := os.Mkdir(folder, 0o777)
	for _, name := range within {
		err = errors.Join(err, os.Mkdir(filepath.Join(folder, name), 0o777))
	}
	return err
}
