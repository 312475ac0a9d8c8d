package main

import (
	"runtime/debug"
	"testing"

	"anchorage/internal/process"
)

// TestFitKeepsGOGC fits a model under GOGC, and wants no stage to change the collector; without it, stages do.
func TestFitKeepsGOGC(t *testing.T) {
	inCorpus(t, 1)
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	t.Setenv("GOGC", "77")
	execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "kept", "--log-level", "error")
	if got := process.CollectorPercent(); got != 77 {
		t.Errorf("with GOGC: %d", got)
	}
	unsetenv(t, "GOGC")
	execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "tuned", "--log-level", "error")
	if got := process.CollectorPercent(); got == 77 {
		t.Errorf("without GOGC: %d", got)
	}
}
