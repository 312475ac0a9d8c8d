// Command anchorage learns topics, their anchor items and their correlations from documents or baskets whose vocabulary
// is too large for a co-occurrence matrix. See README.md, or run it with --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// Memory goes to a few large blocks that live long. Waiting for as much garbage as there is live data, as the default does,
	// would double the peak for nothing. Whoever sets GOGC knows better.
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(20)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal lets the run clean up; with the handler gone, a second one ends it at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
