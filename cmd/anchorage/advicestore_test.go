package main

import (
	"fmt"
	"testing"

	"anchorage/internal/objects"
)

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
