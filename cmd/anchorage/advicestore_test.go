package main

import (
	"fmt"
	"testing"

	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/store"
)

// TestLoserAdvice wants the loser of two writers to a store to be told to run the command again: update has no
// --replace.
func TestLoserAdvice(t *testing.T) {
	err := &store.Error{Path: "st", Fault: store.Outdated, Reason: "is being updated by another run",
		Err: fmt.Errorf("%w: %w", model.ErrLocked, model.ErrExists)}
	const want = "st is being updated by another run: run the command again"
	if said, code := message(err), exitCode(err); said != want || code != exitExists {
		t.Errorf("%s, code %d", said, code)
	}
}

// TestDriverAdvice wants advice for every kind of URL that some program may lack a driver for, and the code of bad
// usage.
func TestDriverAdvice(t *testing.T) {
	for _, scheme := range objects.Schemes {
		if scheme == "s3" {
			continue // always there
		}
		err := fmt.Errorf("x: %w", &objects.DriverError{Scheme: scheme})
		if driverAdvice[scheme] == "" || message(err) != err.Error()+driverAdvice[scheme] {
			t.Errorf("%s: message %q", scheme, message(err))
		}
		if code := exitCode(err); code != exitUsage {
			t.Errorf("%s: exit code %d, want %d", scheme, code, exitUsage)
		}
	}
}
