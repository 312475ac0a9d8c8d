// Command anchorage learns topics, their anchor items and their correlations from documents or baskets whose vocabulary
// is too large for a co-occurrence matrix. See README.md, or run it with --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	setCollector()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal lets the run clean up. It also removes the handler, so that a second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
