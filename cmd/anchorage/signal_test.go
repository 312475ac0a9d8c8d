//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestNohup wants a run under nohup, which has SIGHUP ignored, to continue after one.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := interruptible(context.Background())
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if !signal.Ignored(syscall.SIGHUP) || ctx.Err() != nil {
		t.Errorf("SIGHUP ends the run: %v", ctx.Err())
	}
}
