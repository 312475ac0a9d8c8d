package main

import (
	"runtime/debug"
	"testing"
)

// TestTunesCollector wants GOGC to be respected, whatever its value.
func TestTunesCollector(t *testing.T) {
	for _, test := range []struct {
		environment map[string]string
		want        bool
	}{
		{nil, true},
		{map[string]string{"GOMEMLIMIT": "1GiB"}, true},
		{map[string]string{"GOGC": "33"}, false},
		{map[string]string{"GOGC": "off"}, false},
		{map[string]string{"GOGC": ""}, false},
	} {
		got := tunesCollector(func(name string) (string, bool) {
			value, set := test.environment[name]
			return value, set
		})
		if got != test.want {
			t.Errorf("%v: %v", test.environment, got)
		}
	}
}

// TestSetCollector sets the collector as main does, with and without GOGC.
func TestSetCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	t.Setenv("GOGC", "77")
	setCollector()
	if got := collectorPercent(); got != 77 {
		t.Errorf("with GOGC: %d", got)
	}
	unsetenv(t, "GOGC")
	setCollector()
	if got := collectorPercent(); got != initialPercent {
		t.Errorf("without GOGC: %d", got)
	}
}

// TestFitKeepsGOGC fits a model under GOGC, and wants no stage to change the collector; without it, stages do.
func TestFitKeepsGOGC(t *testing.T) {
	inCorpus(t, 1)
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	t.Setenv("GOGC", "77")
	execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "kept", "--log-level", "error")
	if got := collectorPercent(); got != 77 {
		t.Errorf("with GOGC: %d", got)
	}
	unsetenv(t, "GOGC")
	execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "tuned", "--log-level", "error")
	if got := collectorPercent(); got == 77 {
		t.Errorf("without GOGC: %d", got)
	}
}
