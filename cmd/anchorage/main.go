// Command anchorage learns topics, their anchor items and their correlations from documents or baskets whose vocabulary
// is too large for a co-occurrence matrix. See README.md, or run it with --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"anchorage/internal/process"
)

func main() {
	if reason := preflight(process.MemoryRoom()); reason != "" {
		os.Stderr.WriteString("anchorage: " + reason + "\n")
		os.Exit(exitResources)
	}
	process.StartCollector()
	// The handler stays to the end: a signal that comes after the run must not make its exit code that of a kill.
	ctx, _ := interruptible(context.Background())
	p := newProgram(os.Stdin, os.Stdout, os.Stderr)
	p.ownsProcess = true
	os.Exit(p.run(ctx, os.Args[1:]))
}

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, so that the run can clean up. That
// signal also removes the handler: a second one ends the program at once.
func interruptible(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it ignored
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop = signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
