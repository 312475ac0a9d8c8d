// Command bench measures: the papers' tables and figures, recovery of a known truth, topics against those of other
// methods, variational inference, how a fit scales, and the speed of kernels and of reading. `go run ./bench --help`
// lists the parts; results/README.md says what has been measured.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal lets the run clean up; a second one finds no handler and ends it at once.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
